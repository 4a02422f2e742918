import { Dialog } from "radix-ui";
import { useRef } from "react";
import { leaveToOther, useEndedUser } from "../api/ended-session.ts";
import { resumeSession } from "../api/session.ts";
import { Button } from "../kit/button.tsx";
import { WaysIn } from "../pages/sign-in/ways-in.tsx";
import { Brand } from "./brand.tsx";

/**
 * Covers a page whose session has ended, and asks its user to sign in again. The page and its dialogs stay under it with all that was
 * typed; no other user sees them: another user who signs in gets a new page.
 */
export function SessionEnded() {
  const user = useEndedUser();
  const opener = useRef<Element | null>(null);
  return (
    <Dialog.Root open={user !== null}>
      <Dialog.Portal>
        <Dialog.Content
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            // Whom it is for is known.
            const cover = event.currentTarget instanceof HTMLElement ? event.currentTarget : null;
            const password = cover?.querySelector<HTMLElement>("input[type=password]");
            if (!password) return;
            event.preventDefault();
            password.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-0 z-70 overflow-y-auto bg-canvas outline-none"
        >
          <div className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center px-4 py-8">
            <div className="mb-6 flex justify-center">
              <Brand />
            </div>
            <div className="space-y-4 rounded-2xl border border-line bg-surface p-6 shadow-float">
              <div>
                <Dialog.Title className="text-[1.55rem] leading-tight font-semibold tracking-tight">
                  Your session has ended
                </Dialog.Title>
                <Dialog.Description className="mt-1 text-ink-soft">
                  Sign in again{user?.email ? ` as ${user.email}` : ""} to continue where you were. What you typed is
                  still there.
                </Dialog.Description>
              </div>
              {user !== null && (
                <WaysIn email={user.email} path="/sign-in-done" stays onEnter={(session) => resumeSession(session)} />
              )}
              <Button kind="quiet" className="w-full" onClick={() => void leaveToOther("/console/sign-in")}>
                Sign in as someone else
              </Button>
            </div>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
