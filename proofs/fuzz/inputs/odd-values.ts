/** Values that break careless code, and texts that parsers stumble over. */

/** JSON texts of values; some stand for what no parsed value can be, such as a number beyond a double. */
export const ODD_JSON: readonly string[] = [
  ..."null true false 0 -0 1 -1 0.5 1e400 -1e400 1e-400 2147483648 9007199254740993 1e21 {} []".split(" "),
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"漢"',
  '"é😀"',
  '"\\r\\n"',
  '"\\u2028"',
  '"data: [DONE]\\n\\n"',
  '"[DONE]"',
  '"NaN"',
  '"-1"',
  '"true"',
  '"../../x"',
  '"https://127.0.0.1:1/x"',
  '"data:image/png;base64,iVBORw0KGgo="',
  '"data:image/png;base64,%%%"',
  '"data:,"',
  "[null]",
  "[[]]",
  "[{}]",
  '{"":0}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":1}}',
  '{"type":"text","text":"t"}',
  '{"toString":1,"valueOf":1}',
  '{"type":null}',
  '{"type":"object","properties":{},"required":[]}',
];

/** Names that objects may have and code may not expect. */
export const ODD_NAMES: readonly string[] = [
  ...["", " ", "0", "1", "-1", "a.b", "漢", "é", "\ud800", "\0", "\r\n", "\n", '"', "\\", "__proto__", "constructor"],
  ...["toString", "hasOwnProperty", "length", "Model", "MODEL", "N", "Max_Tokens", "ｍodel", "x".repeat(300), "ſtream"],
];

/** Bytes that stand between the parts of HTTP, JSON and server-sent events. Each is latin1. */
export const HTTP_WORDS: readonly string[] = [
  ..."\r\n,\n,\r,\0, ,\t,:,;,=,\x7f,\xff,\r\n\r\n,0\r\n\r\n,HTTP/1.1,HTTP/1.0,HTTP/2.0,http://x,//,/..,%,%zz,%00,?,#,*".split(
    ",",
  ),
  ..."GET ,POST ,HEAD ,OPTIONS ,CONNECT ,PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".split(","),
  ...["transfer-encoding: chunked", "transfer-encoding: x", "transfer-encoding: chunked, chunked"].map(line),
  ...[
    "content-length: 0",
    "content-length: 5",
    "content-length: 99999999",
    "content-length: -1",
    "content-length: +1",
    "host: y",
  ].map(line),
  ...["connection: close", "connection: keep-alive", "connection: upgrade\r\nupgrade: websocket", "upgrade: h2c"].map(
    line,
  ),
  ...["expect: 100-continue", "expect: x", "content-encoding: gzip", "content-encoding: gzip, gzip"].map(line),
  ...["content-encoding: identity", "content-encoding: zstd", "content-encoding: br", "x-request-id: \xe9"].map(line),
  ...["idempotency-key: k", "idempotency-key: ", "x-api-key: \xff", "authorization: ", "traceparent: 00-x"].map(line),
  ...["anthropic-version: 2023-06-01", "anthropic-version: x", "content-type: multipart/form-data; boundary=b"].map(
    line,
  ),
  ...["FFFFFFFF\r\n", "-1\r\n", "1;a=b\r\n", "1 \r\n", "0x1\r\n", "5\r\nhello\r\n", "00000000000000000005\r\n"],
];

export const SSE_WORDS: readonly string[] = [
  ..."\n,\r,\r\n,\n\n,\r\r,\r\n\r\n,: hi\n,:\n,data:,data: ,data:\t,event:,event: ,id: 1\n,retry: 1\n,\ufeff,data".split(
    ",",
  ),
  ...[
    "data: [DONE]\n\n",
    "data:[DONE]\n\n",
    "event: ping\n",
    "event: error\n",
    "event: message_stop\n",
    "data: {}\n\n",
    "data: null\n\n",
  ],
];

export const JSON_WORDS: readonly string[] = [
  ...'{ } [ ] " : , \\ \\" \\u0065 \\ud800 null true 1e400 -0 ]} }] "model" "mod\\u0065l" "stream":true "usage":'.split(
    " ",
  ),
  ...' ,\t,\n,\r,\u00a0,\ufeff,"],",}],"x":1,\\\\,"a":1,"a":2'.split(","),
];

function line(text: string): string {
  return `${text}\r\n`;
}
