<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-BByP8xxn.js
import{h as e,n as t,t as n}from"./client-D_qiNwJm.js";var r=e({queryKey:[`xxl-apps`],queryFn:({signal:e})=>t(n.GET(`/api/v1/xxl/apps`,{signal:e})),meta:{topics:[`stats`,`workers`],every:3e3}}),i=e({queryKey:[`xxl-instances`],queryFn:({signal:e})=>t(n.GET(`/api/v1/xxl/instances`,{signal:e})),meta:{topics:[`stats`,`workers`],every:3e3}});export{i as n,r as t};
========
import{h as e,n as t,t as n}from"./client-D4rxtF7H.js";var r=e({queryKey:[`xxl-apps`],queryFn:({signal:e})=>t(n.GET(`/api/v1/xxl/apps`,{signal:e})),meta:{topics:[`stats`,`workers`],every:3e3}}),i=e({queryKey:[`xxl-instances`],queryFn:({signal:e})=>t(n.GET(`/api/v1/xxl/instances`,{signal:e})),meta:{topics:[`stats`,`workers`],every:3e3}});export{i as n,r as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/queries-CcOZJU2G.js
