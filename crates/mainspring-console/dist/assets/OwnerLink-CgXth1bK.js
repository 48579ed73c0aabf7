<<<<<<<< HEAD:crates/mainspring-console/dist/assets/OwnerLink-CfNggGbQ.js
import{t as e}from"./link-C2bO4xFs.js";import{n as t}from"./query-BAA_3K8L.js";import{h as n}from"./i18n-BncgGHW4.js";var r=n();function i({ns:n,owner:i}){return(0,r.jsx)(e,{to:`/ns/$ns/jobs`,params:{ns:n},search:{q:`owner:${t(i)}`},children:i})}export{i as t};
========
import{t as e}from"./link-C_1wDTCZ.js";import{n as t}from"./query-BAA_3K8L.js";import{h as n}from"./i18n-B3iLgva7.js";var r=n();function i({ns:n,owner:i}){return(0,r.jsx)(e,{to:`/ns/$ns/jobs`,params:{ns:n},search:{q:`owner:${t(i)}`},children:i})}export{i as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/OwnerLink-CgXth1bK.js
