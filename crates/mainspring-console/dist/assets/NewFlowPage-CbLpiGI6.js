import{t as e}from"./useMutation-BA0gDif-.js";import{X as t}from"./client-DBp8z0KO.js";import{t as n}from"./link-D3uRVHgN.js";import{n as r,t as i}from"./save-CJLWXXuf.js";import{t as a}from"./useNavigate-DIC08zV-.js";import{t as o}from"./play-rUFFAwZa.js";import{g as s,h as c,i as l,v as u}from"./i18n-rJZNrbYQ.js";import{t as d,v as f}from"./ActionBar-iVqbMLjc.js";import{n as p}from"./Page-Dvuqmpes.js";import{n as m}from"./confirm-08Cc2VRw.js";import{m as h,p as g}from"./Field-BOXHmwNK.js";import{c as _}from"./document-flX-4VOe.js";import{t as v}from"./KindSwitch-7yukUea-.js";import{n as y}from"./useChecks-BKOiB1TG.js";import{n as b,t as x}from"./FlowEditor-BixkZgTa.js";import{d as S,n as C,t as w}from"./queries-cXxPhw6y.js";import{I as T}from"./router-BwJ5iM7y.js";var E=u(s(),1),D=c(),O=`flow: orders
description: ""
components:
  order:
    generate: {payload: "3 apples", attributes: {kind: fruit}}
    schedule: 2 sec
  work:
    run: |
      letters=$(wc -c)
      echo "{\\"attributes\\": {\\"letters\\": \\"$letters\\"}}" >> "$MS_ITEMS"
    event: true
    end: failure
  log:
    log: {message: "\${{ attributes.kind }} of \${{ attributes.letters }} letters"}
    end: success
connections:
  - {from: order, to: work}
  - {from: work, to: log, max_items: 100}
`;function k(){let s=l(),{ns:c}=T.useParams(),u=a(),k=t(),[A,j]=(0,E.useState)(O),M=y(c,A,b),N=e({mutationFn:async e=>{let t=await S(c,M.name,_(M.parsed),0);return e?C(c,t.name,`start`):t},onSuccess:async e=>{k.invalidateQueries({queryKey:[`flows`]}),g({tone:`good`,text:s.flows.made(e.name)}),await u({to:`/ns/$ns/flows/$flow`,params:{ns:c,flow:e.name},ignoreBlocker:!0})},onError:e=>h(s.errors.action(s.editor.save),e)}),P=A!==O&&!N.isSuccess;r({disabled:!P,enableBeforeUnload:()=>P,shouldBlockFn:async()=>await m({title:s.editor.leaveTitle,text:s.flows.leaveText,action:s.editor.leave})===void 0});let F=M.isValid?void 0:M.problems[0]?.message??(M.busy?s.editor.checking:s.flows.needsName),I={cli:[`flow`,`apply`,`-f`,`${M.name||`flow`}.yaml`],http:{method:`PUT`,path:f(w,{namespace:c,flow:M.name||`flow`}),body:M.parsed.value?JSON.parse(_(M.parsed)):{}}};return(0,D.jsx)(p,{title:s.flows.create,fill:!0,facts:(0,D.jsx)(v,{ns:c,kind:`flow`}),trail:(0,D.jsx)(n,{to:`/ns/$ns/flows`,params:{ns:c},children:s.shell.flows}),actions:(0,D.jsx)(d,{actions:[{id:`start`,label:s.flows.saveAndStart,icon:o,tone:`primary`,run:()=>N.mutate(!0),disabledReason:F,busy:N.isPending,command:{...I,cli:[...I.cli,`--start`]}},{id:`save`,label:s.editor.save,icon:i,run:()=>N.mutate(!1),disabledReason:F,busy:N.isPending,command:I}]}),children:(0,D.jsx)(x,{text:A,checks:M,onChange:j,children:null})})}export{k as NewFlowPage};