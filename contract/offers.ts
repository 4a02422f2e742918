import Type, { type Static } from "typebox";
import { Currency, closed, nullable } from "./common.ts";

/** The models in a vendor's own list, and proposals to offer them: for administrators. */

const nullableString = nullable(Type.String());
const nullableInteger = nullable(Type.Integer());
const nullableTexts = nullable(Type.Array(Type.String()));

/**
 * The source of a proposal's figures. `list`: the published list that the caller gave. `vendor`: the vendor's own list.
 * `bundled`: the catalogue that comes with Camino. `self_hosted`: a server of one's own bills nobody, so its price is 0.
 * `none`: no price is known, and somebody has to write one.
 */
export const ProposalSource = Type.Object({
  kind: Type.Enum(["list", "vendor", "bundled", "self_hosted", "none"]),
  name: Type.String(),
  /** The day of the figures, `2026-11-20`; null where the source has none. */
  as_of: nullableString,
});
export type ProposalSource = Static<typeof ProposalSource>;

export const ModelProposal = Type.Object({
  source: ProposalSource,
  /**
   * The model as an element of a configuration, with prices as decimal texts; without `price` where no price is known.
   * It fits `value` of `PUT /configuration/elements/model/ID`.
   */
  element: Type.Record(Type.String(), Type.Unknown()),
});
export type ModelProposal = Static<typeof ModelProposal>;

export const VendorOffer = Type.Object({
  /** The vendor's name for the model. */
  upstream_model: Type.String(),
  /** The id under which it would be offered. */
  model: Type.String(),
  display_name: nullableString,
  /** The day of its release; null where the vendor does not say. */
  created: nullableString,
  context_length: nullableInteger,
  max_completion_tokens: nullableInteger,
  input_modalities: nullableTexts,
  output_modalities: nullableTexts,
  /** Whether it answers conversations in text; null where neither the list nor the name says so. */
  is_chat: nullable(Type.Boolean()),
  /** The day on which the vendor takes it away. */
  retires_on: nullableString,
  /** The models of the configuration that it serves now; empty where it is not offered. */
  offered_as: Type.Array(Type.String()),
  /** The best source first; never empty. */
  proposals: Type.Array(ModelProposal),
});
export type VendorOffer = Static<typeof VendorOffer>;

export const VendorOffers = Type.Object({
  object: Type.Literal("list"),
  vendor: Type.String(),
  /** The address that was asked. */
  url: Type.String(),
  /** The gateway's currency. Lists have prices in US dollars; with another currency none is proposed. */
  currency: Currency,
  /** Whether the vendor's list goes on beyond what the gateway reads. */
  is_cut: Type.Boolean(),
  /** Entries that could not be read, at most 100. */
  left_out: Type.Array(Type.String()),
  /** How many of `data` the given list has; null where none was given. */
  found_in_list: nullableInteger,
  data: Type.Array(VendorOffer),
});
export type VendorOffers = Static<typeof VendorOffers>;

/** The largest text of a published list, in characters: a list of all vendors is cut down to one before it is sent. */
export const MOST_LIST_CHARACTERS = 900_000;

/** `POST /vendors/{vendor}/models`: the answer of `GET`, with proposals from a published list as well where one is given. */
export const ProposeFromList = closed({
  list: Type.Optional(
    closed({
      /** The name of the list, such as its file's name. */
      name: Type.String({ minLength: 1, maxLength: 200, description: "a name of at most 200 characters" }),
      as_of: Type.Optional(
        nullable(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: "a day, YYYY-MM-DD" })),
      ),
      /** The id in the list of the vendor whose models are meant. Default: the only one, else the id of this vendor. */
      vendor: Type.Optional(Type.String({ maxLength: 100, description: "the id of a vendor in the list" })),
      text: Type.String({
        maxLength: MOST_LIST_CHARACTERS,
        description: `the JSON text of models.dev's or LiteLLM's list, at most ${MOST_LIST_CHARACTERS} characters`,
      }),
    }),
  ),
});
export type ProposeFromList = Static<typeof ProposeFromList>;
