<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-B8AFDrpO.js
import{a as e,p as t}from"./client-D_qiNwJm.js";var n=36e5,r={"24h":24*n,"7d":168*n,"30d":720*n};function i(n,i,a){let o=new URLSearchParams({from:new Date(t()-r[n.range]).toISOString(),limit:`100`});n.ns!==`-`&&o.set(`namespace`,n.ns);for(let e of[`cause`,`outcome`,`job`])n[e]&&o.set(e,n[e]);return i&&o.set(`cursor`,i),e(`GET`,`/api/v1/misfires?${o}`,void 0,a)}export{i as t};
========
import{a as e,p as t}from"./client-D4rxtF7H.js";var n=36e5,r={"24h":24*n,"7d":168*n,"30d":720*n};function i(n,i,a){let o=new URLSearchParams({from:new Date(t()-r[n.range]).toISOString(),limit:`100`});n.ns!==`-`&&o.set(`namespace`,n.ns);for(let e of[`cause`,`outcome`,`job`])n[e]&&o.set(e,n[e]);return i&&o.set(`cursor`,i),e(`GET`,`/api/v1/misfires?${o}`,void 0,a)}export{i as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/queries-DXMpvzs-.js
