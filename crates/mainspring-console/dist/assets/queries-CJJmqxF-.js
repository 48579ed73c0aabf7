<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-BOBWB1sq.js
import{h as e,n as t,t as n}from"./client-D_qiNwJm.js";var r=e({queryKey:[`cluster`],queryFn:({signal:e})=>t(n.GET(`/api/v1/cluster`,{signal:e})),meta:{topics:[`cluster`,`stats`],every:2e3}}),i=e({queryKey:[`cluster-lateness`],queryFn:({signal:e})=>t(n.GET(`/api/v1/cluster/lateness`,{signal:e})),meta:{topics:[`stats`],every:5e3}});export{i as n,r as t};
========
import{h as e,n as t,t as n}from"./client-D4rxtF7H.js";var r=e({queryKey:[`cluster`],queryFn:({signal:e})=>t(n.GET(`/api/v1/cluster`,{signal:e})),meta:{topics:[`cluster`,`stats`],every:2e3}}),i=e({queryKey:[`cluster-lateness`],queryFn:({signal:e})=>t(n.GET(`/api/v1/cluster/lateness`,{signal:e})),meta:{topics:[`stats`],every:5e3}});export{i as n,r as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/queries-CJJmqxF-.js
