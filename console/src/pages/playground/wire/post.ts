import { ApiError } from "../../../api/api-error.ts";
import { call } from "../../../api/call.ts";
import { queryClient } from "../../../api/query-client.ts";

const KEY = "playground key";

/**
 * The playground's key of an account, in memory only: it is gone when the page is closed, and with its session, whose cache holds it
 * (api/session.ts).
 */
function keyOf(account: string): Promise<string> {
  return queryClient.fetchQuery({
    queryKey: [KEY, account],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await call("POST /playground/key", { body: { account } })).key,
  });
}

interface Post {
  readonly account: string;
  readonly path: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
}

/**
 * Sends a request to a public endpoint like every client, with the account's playground key. A key that another page has
 * replaced, or that has expired, is renewed once. Throws an ApiError where no answer comes, and the abort's error.
 */
export async function post(request: Post): Promise<Response> {
  const response = await send(request, await keyOf(request.account));
  if (response.status !== 401) return response;
  queryClient.removeQueries({ queryKey: [KEY, request.account] });
  return send(request, await keyOf(request.account));
}

async function send({ path, body, signal }: Post, key: string): Promise<Response> {
  try {
    return await fetch(path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...(path === "/v1/messages" ? { "anthropic-version": "2023-06-01" } : {}),
      },
      credentials: "omit",
      body: JSON.stringify(body),
      signal,
    });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new ApiError("The gateway cannot be reached, or it closed the connection.", {
      status: 0,
      code: "unreachable",
      cause: thrown,
    });
  }
}
