// xterm checks its window for idle callbacks, but a worker has no window.
Object.assign(globalThis, { window: globalThis });
