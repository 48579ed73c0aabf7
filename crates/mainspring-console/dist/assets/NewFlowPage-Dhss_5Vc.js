import{t as e}from"./useMutation-DDScKroW.js";import{nt as t}from"./client-C_8YbEtM.js";import{t as n}from"./link-D7uLWIqU.js";import{t as r}from"./useNavigate-C_UOz14Q.js";import{f as i}from"./namespace-DfnjaemH.js";import{a,n as o}from"./useChecks-COg0FwdJ.js";import{K as s,Y as c,l,q as u}from"./Button-gmTF3Z2-.js";import{t as d}from"./ActionBar-BpoOT_uy.js";import{n as f}from"./Page-BR_K-Hb-.js";import{a as p,i as m}from"./toast-BKOcvIjQ.js";import{r as h}from"./commands--VANs4th.js";import{c as g}from"./document-flX-4VOe.js";import{n as _,t as v}from"./FlowEditor-5gLAYK2m.js";import{n as y,t as b,u as x}from"./queries-r2DPVIHm.js";import{y as S}from"./router-blRnJlFF.js";var C=c(u(),1),w=s(),T=`flow: orders
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