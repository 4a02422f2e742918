/**
 * Loaded before a program (`bun --preload`): its clocks, in all of its threads and processes, are as far ahead as the number of milliseconds says
 * that the file MOVED_CLOCK has.
 */
const ahead = new Float64Array(Bun.mmap(process.env.MOVED_CLOCK ?? "", { shared: true }).buffer, 0, 1);
const [now, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
Date.now = () => now() + Math.round(ahead[0] ?? 0);
performance.now = () => monotonic() + (ahead[0] ?? 0);

/** Bun loads nothing before a thread by itself. */
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options: WorkerOptions = {}) {
    super(url, { ...options, preload: [import.meta.path] });
  }
};

export {};
