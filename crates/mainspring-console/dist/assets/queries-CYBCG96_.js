<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-BNv_uzNb.js
import{n as e,t,x as n}from"./client-DlyF5TnC.js";var r=n({queryKey:[`cluster`],queryFn:({signal:n})=>e(t.GET(`/api/v1/cluster`,{signal:n})),meta:{topics:[`cluster`,`stats`],every:2e3}}),i=n({queryKey:[`cluster-lateness`],queryFn:({signal:n})=>e(t.GET(`/api/v1/cluster/lateness`,{signal:n})),meta:{topics:[`stats`],every:5e3}});export{i as n,r as t};
========
import{n as e,t,x as n}from"./client-C0BC3DTb.js";var r=n({queryKey:[`cluster`],queryFn:({signal:n})=>e(t.GET(`/api/v1/cluster`,{signal:n})),meta:{topics:[`cluster`,`stats`],every:2e3}}),i=n({queryKey:[`cluster-lateness`],queryFn:({signal:n})=>e(t.GET(`/api/v1/cluster/lateness`,{signal:n})),meta:{topics:[`stats`],every:5e3}});export{i as n,r as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/queries-CYBCG96_.js
