// node load.mjs: alternating rounds
import http from "node:http"; import fs from "node:fs";
const B=JSON.stringify({kind:"video",input:{prompt:"a lighthouse in fog, slow dolly in",duration_seconds:8},chain:[{provider:"fal",model:"fal-ai/veo3.1"}],project:"film-7"});
const peers=JSON.parse(process.argv[2]); const N=+process.argv[3];
const cpu=pid=>{const s=fs.readFileSync(`/proc/${pid}/stat`,"utf8").split(") ")[1].split(" ");return (+s[11]+ +s[12])*10};
let n=Date.now();
async function one(agent,port){return new Promise((ok,no)=>{const t=performance.now();const r=http.request({agent,port,host:"127.0.0.1",method:"POST",path:"/v1/generations",headers:{authorization:"Bearer afc_bench_key","idempotency-key":`l-${n++}`,"content-type":"application/json","content-length":Buffer.byteLength(B)}},res=>{res.resume();res.on("end",()=>res.statusCode===201?ok(performance.now()-t):no(new Error(port+" "+res.statusCode)))});r.on("error",no);r.end(B)})}
for(const c of [1,16,64]){const acc={};for(let round=0;round<4;round++)for(const [name,{port,pid}] of Object.entries(peers)){const agent=new http.Agent({keepAlive:true,maxSockets:c});let left=Math.max(N,c*4);const times=[];const c0=cpu(pid),t0=performance.now();await Promise.all(Array.from({length:c},async()=>{while(left-->0)times.push(await one(agent,port))}));const wall=performance.now()-t0;agent.destroy();if(round){const a=acc[name]??={times:[],wall:0,cpu:0};a.times.push(...times);a.wall+=wall;a.cpu+=cpu(pid)-c0}}
for(const[name,a]of Object.entries(acc)){a.times.sort((x,y)=>x-y);console.log(c,name,"p50",a.times[a.times.length>>1].toFixed(1),"p99",a.times[Math.floor(a.times.length*.99)].toFixed(1),"rps",(a.times.length/a.wall*1000).toFixed(0),"cpu/req ms",(a.cpu/a.times.length).toFixed(2))}}
