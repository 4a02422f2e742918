/** Questions of every type about one state, in both client shapes. */

export const STATE = "I was charged twice for order 4411 and want one of the charges refunded today.";

export const CRITERIA = {
  billing: "charged order refunded",
  delivery: "parcel late lost",
  other: null,
};

export const LEVELS = ["calm and patient", "charged twice", "furious threats of lawyers"];

export const QUESTIONS = [
  { type: "predicate", name: "refund", instructions: "The customer was charged twice." },
  {
    type: "choice",
    name: "team",
    instructions: "Which team should answer?",
    choices: Object.entries(CRITERIA).map(([value, description]) => ({ value, description })),
  },
  {
    type: "score",
    name: "anger",
    instructions: "How angry is the customer?",
    levels: LEVELS.map((description) => ({ description })),
  },
] as const;

export const KEYED = {
  refund: { type: "noul", instructions: "The customer was charged twice." },
  team: { type: "choice", instructions: "Which team should answer?", criteria: CRITERIA },
  anger: { type: "score", instructions: "How angry is the customer?", criteria: LEVELS },
} as const;

/** One client shape: its path and the body that asks all questions. */
export const SHAPES = {
  decisions: {
    path: "/v1/decisions",
    body: (model: string, questions: object = QUESTIONS) => ({ model, input: STATE, questions }),
    one: [QUESTIONS[0]],
  },
  systemone: {
    path: "/v1/systemone",
    body: (model: string, questions: object = KEYED) => ({ model, state: STATE, questions }),
    one: { refund: KEYED.refund },
  },
} as const;

export type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];
