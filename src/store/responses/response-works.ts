import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import type { WorksOf } from "../sql/port.ts";
import {
  cachedBytes,
  cacheSums,
  countCached,
  emptyCached,
  findCached,
  putCached,
  trimCached,
} from "./cached-answers.ts";
import { deleteContents, listContents, putContents, readContents, trimContents } from "./contents.ts";
import { chain, find, findItems } from "./find-responses.ts";
import { put, remove, removeExpired } from "./keep-responses.ts";

export const RESPONSE_WORKS: WorksOf<ResponseStore> = {
  ...{ put, find, chain, findItems, remove, removeExpired },
  ...{ putContents, listContents, readContents, deleteContents, trimContents },
  ...{ findCached, putCached, trimCached, countCached, cacheSums, cachedBytes, emptyCached },
};
