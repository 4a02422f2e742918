/**
 * `npm run dev:console`: the console from its sources, with hot reload, on port 5173. Calls of the API go on to a gateway
 * (CAMINO_URL, by default http://127.0.0.1:8787), with the address that the browser sees, so that its origin checks hold.
 */
import { createServer } from "vite";
import { viteSettings } from "./build-console.ts";

const target = process.env.CAMINO_URL ?? "http://127.0.0.1:8787";
const server = await createServer({
  ...(await viteSettings()),
  server: { port: 5173, strictPort: true, proxy: { "/console/api": target, "/v1": target } },
});
await server.listen();
console.error(`camino: the console is at http://127.0.0.1:5173/console/, its API at ${target}`);
