import{t as e}from"./useMutation-CZjwcOFU.js";import{nt as t}from"./client-C0BC3DTb.js";import{t as n}from"./link-DVvN9opM.js";import{t as r}from"./useNavigate-BxhSopME.js";import{p as i}from"./namespace-CHK28rXp.js";import{a,n as o}from"./useChecks-CV7ZkT7R.js";import{K as s,Y as c,l,q as u}from"./Button-DeAESqyL.js";import{t as d}from"./ActionBar-CL4ewElA.js";import{n as f}from"./Page-Z3CqGkld.js";import{a as p,i as m}from"./toast-B9GB3bKu.js";import{r as h}from"./commands-Chxz4YxR.js";import{c as g}from"./document-flX-4VOe.js";import{n as _,t as v}from"./FlowEditor-sO_y_Pom.js";import{n as y,t as b,u as x}from"./queries-DYHWG5Me.js";import{y as S}from"./router-KNKvsS2-.js";var C=c(u(),1),w=s(),T=`flow: orders
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
`;function E(){let s=l(),{ns:c}=S.useParams(),u=r(),E=t(),[D,O]=(0,C.useState)(T),k=o(c,D,_),A=e({mutationFn:async e=>{let t=await x(c,k.name,g(k.parsed),0);return e?y(c,t.name,`start`):t},onSuccess:async e=>{E.invalidateQueries({queryKey:[`flows`]}),m({tone:`good`,text:s.flows.made(e.name)}),await u({to:`/ns/$ns/flows/$flow`,params:{ns:c,flow:e.name}})},onError:e=>p(s.errors.action(s.editor.save),e)}),j=k.isValid?void 0:k.problems[0]?.message??(k.busy?s.editor.checking:s.flows.needsName),M={cli:[`flow`,`apply`,`-f`,`${k.name||`flow`}.yaml`],http:{method:`PUT`,path:h(b,{namespace:c,flow:k.name||`flow`}),body:k.parsed.value?JSON.parse(g(k.parsed)):{}}};return(0,w.jsx)(f,{title:s.flows.create,fill:!0,trail:(0,w.jsx)(n,{to:`/ns/$ns/flows`,params:{ns:c},children:s.shell.flows}),actions:(0,w.jsx)(d,{actions:[{id:`start`,label:s.flows.saveAndStart,icon:i,tone:`primary`,run:()=>A.mutate(!0),disabledReason:j,busy:A.isPending,command:{...M,cli:[...M.cli,`--start`]}},{id:`save`,label:s.editor.save,icon:a,run:()=>A.mutate(!1),disabledReason:j,busy:A.isPending,command:M}]}),children:(0,w.jsx)(v,{text:D,checks:k,onChange:O,children:null})})}export{E as NewFlowPage};