/**
 * A parameter with pairs of numbers as JSON, in their order, as rows of `a` and `b`. PostgreSQL looks into the parameter when it plans, and
 * so it knows how many pairs there are: of a function that takes JSON apart it expects a hundred rows. There, every row also says from
 * where to where the pairs reach together (`least`, `most`): a condition on those is judged by the statistics of what is joined.
 */
export const PAIRS = {
  sqlite: "(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?))",
  postgres: `(SELECT (given->n->>0)::bigint AS a, (given->n->>1)::bigint AS b,
      (given->0->>0)::bigint AS least, (given->-1->>1)::bigint AS most
    FROM (SELECT ?::text::jsonb AS given) AS one, generate_series(0, jsonb_array_length(given) - 1) AS n)`,
} as const;
