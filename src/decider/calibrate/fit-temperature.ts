import { logSumExp } from "../softmax.ts";
import { type LabelledAnswer, logsOf } from "./labelled-answer.ts";

/** The limits of a temperature; a calibration file has no values beyond them. */
export const LEAST_TEMPERATURE = 0.05;
export const GREATEST_TEMPERATURE = 20;

/**
 * The temperature at which the right answers are likeliest: the minimum of the negative log-likelihood. A term (ln T)²
 * / 2 is added, with the weight of less than one example: it decides only where the examples do not, as when there are
 * few, all answered right, and any smaller temperature would fit better still.
 */
export function fitTemperature(answers: readonly LabelledAnswer[]): number {
  const examples = answers.map((answer) => ({ logs: logsOf(answer), truth: answer.truth }));
  const cost = (log_temperature: number) => {
    const share = Math.exp(-log_temperature);
    const unlikelihood = examples.reduce((sum, { logs, truth }) => {
      const scaled = logs.map((value) => value * share);
      return sum + logSumExp(scaled) - (scaled[truth] ?? 0);
    }, 0);
    return unlikelihood + log_temperature ** 2 / 2;
  };
  return Math.exp(minimise(cost, Math.log(LEAST_TEMPERATURE), Math.log(GREATEST_TEMPERATURE)));
}

const GRID = 48;
const SECTIONS = 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The minimum of a function of one variable: the best of evenly spaced points, then golden sections between the
 * two points beside it. It needs no derivative, and a second, shallower minimum does not mislead it.
 */
export function minimise(cost: (x: number) => number, from: number, to: number): number {
  const step = (to - from) / GRID;
  let best = from;
  let best_cost = Number.POSITIVE_INFINITY;
  for (let index = 0; index <= GRID; index++) {
    const x = from + index * step;
    const found = cost(x);
    if (found < best_cost) [best, best_cost] = [x, found];
  }
  return goldenSection(cost, Math.max(best - step, from), Math.min(best + step, to));
}

function goldenSection(cost: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [left_cost, right_cost] = [cost(left), cost(right)];
  for (let section = 0; section < SECTIONS; section++) {
    if (left_cost <= right_cost) {
      [high, right, right_cost] = [right, left, left_cost];
      left = high - GOLDEN * (high - low);
      left_cost = cost(left);
    } else {
      [low, left, left_cost] = [left, right, right_cost];
      right = low + GOLDEN * (high - low);
      right_cost = cost(right);
    }
  }
  return (low + high) / 2;
}
