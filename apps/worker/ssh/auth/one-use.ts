/** A password that is sent once, whatever the host says to it. */
export interface OneUse {
  /** Whether the person at the terminal has typed it. */
  readonly is_typed: boolean;
  isLeft(): boolean;
  take(): string;
}

export function typedPassword(password: string): OneUse {
  return oneUse(password, true);
}

/** An empty one is not stored, and sending it would be a guess. */
export function storedPassword(password: string): OneUse {
  return oneUse(password === '' ? undefined : password, false);
}

function oneUse(password: string | undefined, is_typed: boolean): OneUse {
  let left = password;
  return {
    is_typed,
    isLeft: () => left !== undefined,
    take() {
      const taken = left ?? '';
      left = undefined;
      return taken;
    },
  };
}
