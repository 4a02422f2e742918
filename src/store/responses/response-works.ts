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
import { cutSegment, findContents, listContents, putContents, readSegments, trimContents } from "./contents.ts";
import { chain, find, findItems } from "./find-responses.ts";
import { put, remove, removeExpired } from "./keep-responses.ts";

export const RESPONSE_WORKS: WorksOf<ResponseStore> = {
  ...{ put, find, chain, findItems, remove, removeExpired },
  ...{ putContents, listContents, findContents, readSegments, cutSegment, trimContents },
  ...{ findCached, putCached, trimCached, countCached, cacheSums, cachedBytes, emptyCached },
};
