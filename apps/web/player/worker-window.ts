// xterm asks whether its window has idle callbacks; a worker has no window.
Object.assign(globalThis, { window: globalThis });
