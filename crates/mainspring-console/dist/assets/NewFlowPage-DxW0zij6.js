import{t as e}from"./useMutation-DU7bVb3X.js";import{nt as t}from"./client-BAnlnaTg.js";import{t as n}from"./link-DsfbM0tm.js";import{a as r,n as i,o as a}from"./useChecks-CeBb4NjD.js";import{t as o}from"./useNavigate-qoThpyrA.js";import{f as s}from"./namespace-CKfm0yY1.js";import{K as c,Y as l,l as u,q as d}from"./Button-D8XjZ9rq.js";import{t as f}from"./ActionBar-Dl_Ren33.js";import{n as p}from"./Page-PTROBmQx.js";import{n as m}from"./confirm-DEhPZapT.js";import{a as h,i as g}from"./toast-7PJcrTy3.js";import{r as _}from"./commands-B_ewOl9T.js";import{c as v}from"./document-flX-4VOe.js";import{t as y}from"./KindSwitch-DhQQakkH.js";import{n as b,t as x}from"./FlowEditor-CH4N7DM1.js";import{n as S,t as C,u as w}from"./queries-BEzFzRXv.js";import{O as T}from"./router-6Q_AsnCv.js";var E=l(d(),1),D=c(),O=`flow: orders
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
`;function k(){let c=u(),{ns:l}=T.useParams(),d=o(),k=t(),[A,j]=(0,E.useState)(O),M=i(l,A,b),N=e({mutationFn:async e=>{let t=await w(l,M.name,v(M.parsed),0);return e?S(l,t.name,`start`):t},onSuccess:async e=>{k.invalidateQueries({queryKey:[`flows`]}),g({tone:`good`,text:c.flows.made(e.name)}),await d({to:`/ns/$ns/flows/$flow`,params:{ns:l,flow:e.name},ignoreBlocker:!0})},onError:e=>h(c.errors.action(c.editor.save),e)}),P=A!==O&&!N.isSuccess;a({disabled:!P,enableBeforeUnload:()=>P,shouldBlockFn:async()=>await m({title:c.editor.leaveTitle,text:c.flows.leaveText,action:c.editor.leave})===void 0});let F=M.isValid?void 0:M.problems[0]?.message??(M.busy?c.editor.checking:c.flows.needsName),I={cli:[`flow`,`apply`,`-f`,`${M.name||`flow`}.yaml`],http:{method:`PUT`,path:_(C,{namespace:l,flow:M.name||`flow`}),body:M.parsed.value?JSON.parse(v(M.parsed)):{}}};return(0,D.jsx)(p,{title:c.flows.create,fill:!0,facts:(0,D.jsx)(y,{ns:l,kind:`flow`}),trail:(0,D.jsx)(n,{to:`/ns/$ns/flows`,params:{ns:l},children:c.shell.flows}),actions:(0,D.jsx)(f,{actions:[{id:`start`,label:c.flows.saveAndStart,icon:s,tone:`primary`,run:()=>N.mutate(!0),disabledReason:F,busy:N.isPending,command:{...I,cli:[...I.cli,`--start`]}},{id:`save`,label:c.editor.save,icon:r,run:()=>N.mutate(!1),disabledReason:F,busy:N.isPending,command:I}]}),children:(0,D.jsx)(x,{text:A,checks:M,onChange:j,children:null})})}export{k as NewFlowPage};