/**
 * The floor, for orientation only: passes the request and the vendor's body on without reading them. No gateway in
 * Bun can be this cheap, since a gateway has to read the key, the model and the usage.
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
