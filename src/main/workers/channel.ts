/** The channel to the process that started this one; a parameter of its users, so that tests can hold the other end. */
export interface Channel<Out, In> {
  send(message: Out): void;
  hear(take: (message: In) => void): void;
  /** Called once, when the other process is gone. */
  onGone(gone: () => void): void;
}

/** The channel to the process that started this one. */
export interface ParentChannel<Out, In> extends Channel<Out, In> {
  /** Ends the channel, and with it what kept this process alive for the other's words. */
  close(): void;
}

/** The channel to this process's parent. Throws where nobody has started it as a part of a gateway. */
export function parentChannel<Out, In>(): ParentChannel<Out, In> {
  if (process.send === undefined)
    throw new Error("This is a part of a gateway, which `camino serve --workers` starts.");
  let is_closed = false;
  return {
    // The supervisor may be gone at this moment: the next thing that is heard is that.
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
    hear: (take) => void process.on("message", (message) => take(message as In)),
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
