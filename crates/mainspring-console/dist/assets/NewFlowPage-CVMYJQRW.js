import{t as e}from"./useMutation-CUHUOEQd.js";import{X as t}from"./client-BEvZtTmc.js";import{t as n}from"./link-soKF1OQ-.js";import{n as r,t as i}from"./save-DnQ0KDvU.js";import{t as a}from"./useNavigate-BFE2f5Bf.js";import{t as o}from"./play-BXx0jY1t.js";import{g as s,h as c,i as l,v as u}from"./i18n-HhNwY0Gz.js";import{t as d,v as f}from"./ActionBar-DOHIhbJr.js";import{n as p}from"./Page-BbK51vYH.js";import{n as m}from"./confirm-DF_HhIft.js";import{m as h,p as g}from"./Field-DHbN7SB5.js";import{c as _}from"./document-flX-4VOe.js";import{t as v}from"./KindSwitch-DF2upONP.js";import{n as y}from"./useChecks-DpX72jsO.js";import{n as b,t as x}from"./FlowEditor-D-bBr6Is.js";import{d as S,n as C,t as w}from"./queries-BT3Ad9-9.js";import{I as T}from"./router-BcC9nnvK.js";var E=u(s(),1),D=c(),O=`flow: orders
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