/** The channel to the process that started this one; a parameter of its users, so that tests can hold the other end. */
export interface ProcessChannel<Out, In> {
  send(message: Out): void;
  hear(take: (message: In) => void): void;
  /** Called once, when the other process is gone. */
  onGone(gone: () => void): void;
}

/** The channel to the process that started this one. Messages that arrive before a listener are kept for it. */
export interface ParentChannel<Out, In> extends ProcessChannel<Out, In> {
  /** The first message: this process's assignment. */
  first(): Promise<In>;
  /** Ends the channel, which no longer keeps this process alive. */
  close(): void;
}

/** The channel to this process's parent. Throws where the process was not started as a part of a gateway. */
export function parentChannel<Out, In>(): ParentChannel<Out, In> {
  if (process.send === undefined)
    throw new Error("This is a part of a gateway, which `camino serve --workers` starts.");
  let is_closed = false;
  let listener: ((message: In) => void) | null = null;
  const unheard: In[] = [];
  const said = Promise.withResolvers<void>();
  // A process starts slowly: its assignment and the order to end may both have arrived before it listens.
  process.on("message", (message) => {
    if (listener !== null) return listener(message as In);
    unheard.push(message as In);
    said.resolve();
  });
  return {
    async first() {
      await said.promise;
      const [message] = unheard.splice(0, 1);
      if (message === undefined) throw new Error("the first word was heard already");
      return message;
    },
    // The supervisor may be gone at this moment; `onGone` reports it.
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    hear: (take) => {
      listener = take;
      for (const message of unheard.splice(0)) take(message);
    },
    onGone: (gone) =>
      void process.once("disconnect", () => {
        if (!is_closed) gone();
      }),
    close: () => {
      is_closed = true;
      if (process.connected) process.disconnect?.();
    },
  };
}
