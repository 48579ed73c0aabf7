<<<<<<<< HEAD:crates/mainspring-console/dist/assets/queries-BqPPsq-m.js
import{n as e,t,x as n}from"./client-DlyF5TnC.js";var r=n({queryKey:[`xxl-apps`],queryFn:({signal:n})=>e(t.GET(`/api/v1/xxl/apps`,{signal:n})),meta:{topics:[`stats`,`workers`],every:3e3}}),i=n({queryKey:[`xxl-instances`],queryFn:({signal:n})=>e(t.GET(`/api/v1/xxl/instances`,{signal:n})),meta:{topics:[`stats`,`workers`],every:3e3}});export{i as n,r as t};
========
import{n as e,t,x as n}from"./client-C0BC3DTb.js";var r=n({queryKey:[`xxl-apps`],queryFn:({signal:n})=>e(t.GET(`/api/v1/xxl/apps`,{signal:n})),meta:{topics:[`stats`,`workers`],every:3e3}}),i=n({queryKey:[`xxl-instances`],queryFn:({signal:n})=>e(t.GET(`/api/v1/xxl/instances`,{signal:n})),meta:{topics:[`stats`,`workers`],every:3e3}});export{i as n,r as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/queries-DArveNKo.js
