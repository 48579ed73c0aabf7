<<<<<<<< HEAD:crates/mainspring-console/dist/assets/useRouter-BrBxrwoY.js
import{g as e,v as t}from"./i18n-BncgGHW4.js";var n=t(e(),1),r=n.createContext(null);function i(e){return n.useContext(r)}export{r as n,i as t};
========
import{g as e,v as t}from"./i18n-B3iLgva7.js";var n=t(e(),1),r=n.createContext(null);function i(e){return n.useContext(r)}export{r as n,i as t};
>>>>>>>> 151613b40 (console: give each queue a page, and say on the page of a job who could run it):crates/mainspring-console/dist/assets/useRouter-Tum3hRG4.js
