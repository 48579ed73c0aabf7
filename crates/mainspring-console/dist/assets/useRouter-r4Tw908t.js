<<<<<<<< HEAD:crates/mainspring-console/dist/assets/useRouter-sF3CahGO.js
import{Y as e,q as t}from"./Button-BSxHFDkw.js";var n=e(t(),1),r=n.createContext(null);function i(e){return n.useContext(r)}export{r as n,i as t};
========
import{Y as e,q as t}from"./Button-DeAESqyL.js";var n=e(t(),1),r=n.createContext(null);function i(e){return n.useContext(r)}export{r as n,i as t};
>>>>>>>> e0948e6b (all wip):crates/mainspring-console/dist/assets/useRouter-r4Tw908t.js
