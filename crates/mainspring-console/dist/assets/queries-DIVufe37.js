<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-BfYpirbE.js
import{n as e,t,x as n}from"./client-DlyF5TnC.js";var r=n({queryKey:[`namespaces`],queryFn:({signal:n})=>e(t.GET(`/api/v1/namespaces`,{params:{query:{limit:500}},signal:n})),staleTime:6e4}),i=n({queryKey:[`info`],queryFn:({signal:n})=>e(t.GET(`/api/v1/info`,{signal:n})),staleTime:3e5});export{r as n,i as t};
========
import{n as e,t,x as n}from"./client-C0BC3DTb.js";var r=n({queryKey:[`namespaces`],queryFn:({signal:n})=>e(t.GET(`/api/v1/namespaces`,{params:{query:{limit:500}},signal:n})),staleTime:6e4}),i=n({queryKey:[`info`],queryFn:({signal:n})=>e(t.GET(`/api/v1/info`,{signal:n})),staleTime:3e5});export{r as n,i as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/queries-DIVufe37.js
