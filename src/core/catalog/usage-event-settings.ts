/** Where usage events go (docs/configuration.md Usage events). */
export interface UsageEventSettings {
  readonly to: readonly UsageAddress[];
}

export interface UsageAddress {
  readonly channel: "webhook" | "s3" | "file";
  /** A URL; of `s3` with name and password as key and secret; of `file` the path of a folder. */
  readonly address: string;
}
