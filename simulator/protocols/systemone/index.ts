import type { VendorProtocol } from "../protocol.ts";
import { UNSTREAMED } from "../unstreamed.ts";
import { readAsk } from "./read-ask.ts";
import { whole } from "./whole.ts";

/** System One, with SGLang's additions (`images`, `x_label_mass`). It has no streams. */
export const systemone: VendorProtocol = {
  ...UNSTREAMED,
  protocol: "systemone",
  accepts: (path) => path.endsWith("/systemone"),
  readAsk,
  whole,
};
