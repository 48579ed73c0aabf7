<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-CnmBYbgp.js
import{h as e,n as t,t as n}from"./client-D_qiNwJm.js";var r=e({queryKey:[`namespaces`],queryFn:({signal:e})=>t(n.GET(`/api/v1/namespaces`,{params:{query:{limit:500}},signal:e})),staleTime:6e4}),i=e({queryKey:[`info`],queryFn:({signal:e})=>t(n.GET(`/api/v1/info`,{signal:e})),staleTime:3e5});export{r as n,i as t};
========
import{h as e,n as t,t as n}from"./client-D4rxtF7H.js";var r=e({queryKey:[`namespaces`],queryFn:({signal:e})=>t(n.GET(`/api/v1/namespaces`,{params:{query:{limit:500}},signal:e})),staleTime:6e4}),i=e({queryKey:[`info`],queryFn:({signal:e})=>t(n.GET(`/api/v1/info`,{signal:e})),staleTime:3e5});export{r as n,i as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/queries-letqyVb1.js
