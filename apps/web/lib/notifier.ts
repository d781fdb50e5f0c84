import { type Accessor, createSignal } from 'solid-js';

export interface Notice {
  readonly title: string;
  readonly body: string;
  /** A later notice with the same tag replaces this one. */
  readonly tag: string;
  readonly onClick: () => void;
}

/** Notifications of the browser. */
export interface Notifier {
  /** Asks the user for permission, in response to a click. */
  ask(): Promise<void>;
  /** The browser shows nothing without permission. */
  show(notice: Notice): void;
  /** The user wanted notifications, and the browser does not allow them. */
  readonly is_refused: Accessor<boolean>;
  /** Whether the browser allows notifications; `default` if it has not been asked. */
  readonly permission: Accessor<NotificationPermission>;
  dismissRefusal(): void;
}

/** A page of another site around the interface is not asked. */
export function createNotifier(is_guest: boolean): Notifier {
  const [is_refused, setRefused] = createSignal(false);
  const isPossible = () => !is_guest && 'Notification' in window;
  const present = () => (isPossible() ? Notification.permission : 'denied');
  const [permission, setPermission] = createSignal<NotificationPermission>(present());
  return {
    async ask() {
      const answer = isPossible() ? await Notification.requestPermission() : 'denied';
      setPermission(answer);
      setRefused(answer !== 'granted');
    },
    show({ title, body, tag, onClick }) {
      if (!isPossible()) return;
      const shown = tryToShow(title, { body, tag });
      shown?.addEventListener('click', () => {
        window.focus();
        onClick();
        shown.close();
      });
    },
    is_refused,
    permission,
    dismissRefusal: () => void setRefused(false),
  };
}

/** Browsers on phones have the permission and yet allow notifications to service workers only. */
function tryToShow(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options);
  } catch {
    return undefined;
  }
}
