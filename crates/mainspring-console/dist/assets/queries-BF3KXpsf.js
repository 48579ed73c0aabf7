<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-Cz0_4ZxA.js
import{a as e}from"./client-D_qiNwJm.js";function t(e,t){let n=Object.entries(t).filter(e=>!!e[1]);return`/api/v1/namespaces/${encodeURIComponent(e)}/runs?${new URLSearchParams(n)}`}function n(n,r,i,a){return e(`GET`,`${t(n,r)}&limit=100${i?`&cursor=${encodeURIComponent(i)}`:``}`,void 0,a)}export{t as n,n as t};
========
import{a as e}from"./client-D4rxtF7H.js";function t(e,t){let n=Object.entries(t).filter(e=>!!e[1]);return`/api/v1/namespaces/${encodeURIComponent(e)}/runs?${new URLSearchParams(n)}`}function n(n,r,i,a){return e(`GET`,`${t(n,r)}&limit=100${i?`&cursor=${encodeURIComponent(i)}`:``}`,void 0,a)}export{t as n,n as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/queries-BF3KXpsf.js
