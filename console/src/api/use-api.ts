import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { call } from "./call.ts";
import type { AnswerOf, ChangeName, InputOf, ReadName } from "./endpoints.ts";
import { sendOnce } from "./send-once.ts";

/** The interval at which values that users wait for are read again while the page is visible. */
export const LIVE_MS = 2_000;
/** The interval for values that should stay fresh but that nobody watches. */
export const CALM_MS = 15_000;

interface ReadOptions<Answer> {
  /** The interval of repeated reads while the page is visible, fixed or computed from the last answer (false: stop). */
  readonly refresh_ms?: number | ((answer: Answer | undefined) => number | false);
  /** Whether to read at all. Default: true. */
  readonly enabled?: boolean;
}

/** A query's options, for `useQuery` and for a route's loader. Its key is the endpoint's name and the input. */
export function apiQuery<Name extends ReadName>(name: Name, input: InputOf<Name>) {
  return queryOptions({
    queryKey: [name, input] as const,
    queryFn: ({ signal }): Promise<AnswerOf<Name>> => call(name, input, signal),
  });
}

/** An endpoint's answer, cached and refreshed. The last answer stays while the answer for a new input is on its way. */
export function useApi<Name extends ReadName>(
  name: Name,
  input: InputOf<Name>,
  options: ReadOptions<AnswerOf<Name>> = {},
) {
  const { refresh_ms, enabled = true } = options;
  return useQuery({
    ...apiQuery(name, input),
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: (query) =>
      typeof refresh_ms === "function"
        ? refresh_ms(query.state.data as AnswerOf<Name> | undefined)
        : (refresh_ms ?? false),
  });
}

/** Endpoints whose answers come in pages, newest first. */
type PagedName = {
  [Name in ReadName]: AnswerOf<Name> extends { next_before?: string | null; data: unknown[] } ? Name : never;
}[ReadName];

interface Page {
  readonly data: readonly unknown[];
  /** Left out by a list that came whole. */
  readonly next_before?: string | null;
}

type RowOf<Name extends PagedName> = AnswerOf<Name> extends { data: (infer Row)[] } ? Row : never;

/** A long list, page after page: the `rows` loaded so far, and the state of the "load older" button. */
export function useApiPages<Name extends PagedName>(
  name: Name,
  input: InputOf<Name>,
  options: { readonly refresh_ms?: number | false; readonly enabled?: boolean } = {},
) {
  const query = useInfiniteQuery({
    ...infiniteQueryOptions({
      queryKey: [name, input, "pages"] as const,
      initialPageParam: null as string | null,
      queryFn: ({ signal, pageParam }): Promise<AnswerOf<Name>> => call(name, olderThan(input, pageParam), signal),
      getNextPageParam: (page) => (page as Page).next_before ?? null,
    }),
    placeholderData: keepPreviousData,
    refetchInterval: options.refresh_ms ?? false,
    enabled: options.enabled ?? true,
  });
  const rows = (query.data?.pages ?? []).flatMap((page) => (page as Page).data as RowOf<Name>[]);
  const first = query.data?.pages[0];
  return { ...query, rows, first };
}

function olderThan<Input>(input: Input, before: string | null): Input {
  if (before === null) return input;
  const { query } = input as { query?: object };
  return { ...input, query: { ...query, before } };
}

/**
 * A change, and the reads that are stale after it: `useChange("POST /keys", ["GET /keys"])`. `mutateAsync(input)` throws
 * an ApiError; `mutate(input, { onSuccess })` keeps it in `error`. A change that is sent twice is made once (send-once.ts).
 */
export function useChange<Name extends ChangeName>(name: Name, stale: readonly ReadName[] = []) {
  const queries = useQueryClient();
  const [send] = useState(() => sendOnce((input: InputOf<Name>, once) => call(name, withKey(input, once))));
  return useMutation({
    mutationFn: send,
    onSuccess: () => Promise.all(stale.map((read) => queries.invalidateQueries({ queryKey: [read] }))),
  });
}

/** A call's input with its `Idempotency-Key`; a form that keeps a key of its own has it in the input already. */
function withKey<Input>(input: Input, once: string): Input {
  return { once, ...(input as object) } as Input;
}
