import Type from "typebox";
import { orNull } from "./common.ts";

/** The plain members of answers, each with what it says. */

export const text = (description: string) => Type.String({ description });
export const textOrNull = (description: string) => orNull(Type.String(), description);
export const flag = (description: string) => Type.Boolean({ description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const micro = (description: string) => Type.Integer({ description: `${description} In micro units.` });
export const duration = (description: string) => orNull(Type.Number({ minimum: 0 }), description);
export const unixSeconds = (description: string) => Type.Integer({ minimum: 0, description });
