import Type, { type Static } from "typebox";
import {
  AccountName,
  closed,
  DayOrTime,
  nullable,
  oneOf,
  orNull,
  ProjectRef,
  pageFields,
  Timestamp,
} from "./common.ts";
import { TagFilter, Tags } from "./tags.ts";

/** What was said in requests and answers, kept where somebody switched that on (docs/rulings.md 184). */

const KeyId = Type.String({ pattern: "^[A-Za-z0-9_]{1,100}$", description: "a key id" });
const filters = {
  /** An account id or e-mail; members may leave it out. */
  account: Type.Optional(AccountName),
  key: Type.Optional(KeyId),
  model: Type.Optional(Type.String({ maxLength: 256, description: "a model id" })),
  status: Type.Optional(Type.String({ pattern: "^[1-5]\\d\\d$", description: "an HTTP status such as 200" })),
  /** Of the request itself, or of its key where the request carried none. */
  tag: Type.Optional(TagFilter),
  /** The id of an end user, as the requests had it. */
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: "an end user's id" })),
  from: Type.Optional(DayOrTime),
  to: Type.Optional(DayOrTime),
  /** Words that must all occur, where the account allows that its contents are searched. */
  words: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "a text of at most 200 characters" })),
};

export const ContentsQuery = closed({
  ...filters,
  ...pageFields,
  /** `jsonl` answers lines of JSON as a download, each a whole content: all that fit, however many; `limit` and `before` do not count. */
  format: Type.Optional(oneOf(["json", "jsonl"])),
});
export type ContentsQuery = Static<typeof ContentsQuery>;

const Text = Type.String();
const textOrNull = orNull(Text);

export const ContentEntry = Type.Object({
  request_id: Text,
  at: Timestamp,
  account: Text,
  key_id: Text,
  key_name: textOrNull,
  model: Text,
  endpoint: Text,
  status: Type.Integer(),
  tags: Tags,
  /** How much room it takes, encrypted. */
  bytes: Type.Integer(),
});
export type ContentEntry = Static<typeof ContentEntry>;

export const ContentList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(ContentEntry),
  has_more: Type.Boolean(),
  /** Asks for the next, older page, which a search may also have to go on searching; null on the last one. */
  next_before: textOrNull,
});
export type ContentList = Static<typeof ContentList>;

/** Why a side is not there: larger than is kept, bytes that are no text, or a stream in which a mask might miss something. */
const LeftOut = Type.Enum(["large", "bytes", "not_maskable"]);

export const Content = Type.Object({
  ...ContentEntry.properties,
  stream: Type.Boolean(),
  error: textOrNull,
  vendor: textOrNull,
  upstream_model: textOrNull,
  content_type: textOrNull,
  /** What went to the vendor that was asked last, or the request where none was. */
  sent: textOrNull,
  /** What came back to the client; a stream as the whole answer that it makes, where its style has one. */
  answer: textOrNull,
  left_out: Type.Object({ sent: Type.Optional(LeftOut), answer: Type.Optional(LeftOut) }),
});
export type Content = Static<typeof Content>;

export const DeleteContents = closed({
  account: Type.Optional(AccountName),
  user: Type.String({ minLength: 1, maxLength: 512, description: "an end user's id" }),
});
export type DeleteContents = Static<typeof DeleteContents>;
export const DeletedContents = Type.Object({ deleted: Type.Integer() });
export type DeletedContents = Static<typeof DeletedContents>;

/** Switches contents on or off for an account, or for one of its projects or keys; null: as the next above says. */
export const SwitchContents = closed({
  account: Type.Optional(AccountName),
  project: Type.Optional(ProjectRef),
  key: Type.Optional(KeyId),
  content_log: nullable(Type.Boolean({ description: "true or false" })),
  /** Whether the account's contents may be searched for words. */
  words: Type.Optional(Type.Boolean({ description: "true or false" })),
});
export type SwitchContents = Static<typeof SwitchContents>;

const Switch = Type.Object({ id: Text, name: Text, content_log: Type.Boolean() });
export const ContentSwitches = Type.Object({
  object: Type.Literal("content_switches"),
  account: Text,
  /** Null: nobody has said it, which is off. */
  content_log: orNull(Type.Boolean()),
  words: Type.Boolean(),
  projects: Type.Array(Switch),
  keys: Type.Array(Switch),
  /** How long contents are kept, how many bytes all may have together, and what they are masked of. */
  keep_s: Type.Integer(),
  most_bytes: Type.Integer(),
  mask: Type.Array(Text),
});
export type ContentSwitches = Static<typeof ContentSwitches>;
