import { printed } from "./run.ts";

/**
 * What npm says of the packages that are installed (CycloneDX). Without their wishes for peers: npm lists nothing where one of them is not met, and a tool for
 * development that wishes for an older React is none of a release's business.
 */
export function listInstalled(root: string): Promise<string> {
  return printed(["npm", "sbom", "--sbom-format", "cyclonedx", "--legacy-peer-deps"], root);
}
