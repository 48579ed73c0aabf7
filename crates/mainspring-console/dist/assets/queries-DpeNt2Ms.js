<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-DGKGECOr.js
import{a as e}from"./client-DlyF5TnC.js";function t(e,t){let n=Object.entries(t).filter(e=>!!e[1]);return`/api/v1/namespaces/${encodeURIComponent(e)}/runs?${new URLSearchParams(n)}`}function n(n,r,i,a){return e(`GET`,`${t(n,r)}&limit=100${i?`&cursor=${encodeURIComponent(i)}`:``}`,void 0,a)}export{t as n,n as t};
========
import{a as e}from"./client-C0BC3DTb.js";function t(e,t){let n=Object.entries(t).filter(e=>!!e[1]);return`/api/v1/namespaces/${encodeURIComponent(e)}/runs?${new URLSearchParams(n)}`}function n(n,r,i,a){return e(`GET`,`${t(n,r)}&limit=100${i?`&cursor=${encodeURIComponent(i)}`:``}`,void 0,a)}export{t as n,n as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/queries-DpeNt2Ms.js
