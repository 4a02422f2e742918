/** A part of a multipart form, a view of its bytes. */
export interface FormPart {
  readonly name: string;
  /** Null where the part is no file. */
  readonly file_name: string | null;
  readonly content_type: string | null;
  readonly data: Buffer;
}
