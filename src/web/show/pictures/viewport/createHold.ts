/** The first picture of a stack waits for the window of the stack for this long, so that its brightness does not change. */
const HOLD_MS = 100;

export interface Hold {
  /** Begins to wait. False when it has waited long enough. */
  isOn(): boolean;
  end(): void;
}

/**
 * The window is requested in parallel with the picture. Other pictures are shown with their own windows until it is
 * known.
 */
export function createHold(onOver: () => void): Hold {
  let hold: { readonly timer: ReturnType<typeof setTimeout>; isOver: boolean } | undefined;
  const finish = () => {
    if (hold !== undefined) hold.isOver = true;
    onOver();
  };
  return {
    isOn() {
      hold ??= { timer: setTimeout(finish, HOLD_MS), isOver: false };
      return !hold.isOver;
    },
    end() {
      clearTimeout(hold?.timer);
      hold = undefined;
    },
  };
}
