/**
 * The floor, for orientation only: passes the request and the vendor's body on untouched, without reading either. No
 * gateway can be this cheap in Bun, since it has to know who asks, for what, and what it cost.
 */
const [vendor = ""] = process.argv.slice(2);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const answer = await fetch(`${vendor}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: await request.arrayBuffer(),
    });
    return new Response(answer.body, { headers: { "content-type": answer.headers.get("content-type") ?? "" } });
  },
});
console.log(`listening ${server.port}`);
