import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { createRoot } from "react-dom/client";
import { whenDenied, whenSessionEnds } from "./api/call.ts";
import { whenOtherTabSignsIn } from "./api/ended-session.ts";
import { queryClient } from "./api/query-client.ts";
import { endSession, hearOfSignIn, rereadSession } from "./api/session.ts";
import { Failure } from "./app/failure.tsx";
import { NotFound } from "./app/not-found.tsx";
import { routeTree } from "./app/routes.tsx";
import { Hints } from "./kit/hints.tsx";
import { Toasts } from "./kit/toast.tsx";
import { parseSearch, stringifySearch } from "./kit/url-state.ts";

const router = createRouter({
  routeTree,
  basepath: "/console",
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Failure,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

whenSessionEnds(endSession);
whenOtherTabSignsIn((user_id) => void hearOfSignIn(user_id));
whenDenied(rereadSession);

const element = document.getElementById("root");
if (element === null) throw new Error("index.html has no #root");
createRoot(element).render(
  <QueryClientProvider client={queryClient}>
    <RouterProvider router={router} />
    <Toasts />
    <Hints />
  </QueryClientProvider>,
);
