import{t as e}from"./useMutation-DEScaKPj.js";import{nt as t}from"./client-BieCV8oX.js";import{t as n}from"./link-QueKyOR4.js";import{t as r}from"./useNavigate-BCJx3GSR.js";import{p as i}from"./namespace-CsGDR1tV.js";import{a,n as o}from"./useChecks-NRSUVuSO.js";import{K as s,Y as c,l,q as u}from"./Button-DmlI0qqy.js";import{t as d}from"./ActionBar-C4i05wsT.js";import{n as f}from"./Page-BybuAfx5.js";import{a as p,i as m}from"./toast-DUlQBVzV.js";import{r as h}from"./commands-BYr6iVOc.js";import{c as g}from"./document-flX-4VOe.js";import{n as _,t as v}from"./FlowEditor-DfU-s7N_.js";import{n as y,t as b,u as x}from"./queries-CzON856H.js";import{y as S}from"./router-EN_9NNiV.js";var C=c(u(),1),w=s(),T=`flow: orders
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