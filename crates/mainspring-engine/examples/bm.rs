//! Scratch

use mainspring_engine::bench::{fires, Load, Plan};
#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let store = mainspring_store::open(&args[3]).await.unwrap();
    let n: u32 = args[1].parse().unwrap();
    let load = if args[2] == "drain" { Load::Drain } else { Load::Rate(args[2].parse().unwrap()) };
    let r = fires(store, Plan { triggers: n, load, seconds: 10 }, &|w, a, b| { if a % 20000 == 0 || w == "fires" { eprintln!("{w} {a}/{b}") } }).await.unwrap();
    println!("{}", serde_json::to_string(&r).unwrap());
}
