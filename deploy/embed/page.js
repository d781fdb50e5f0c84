const terminal = document.querySelector('sallyport-terminal');
const state = document.querySelector('#state');

// Called once per session: a ticket works once.
terminal.getTicket = async () => (await (await fetch('/ticket', { method: 'POST' })).json()).ticket;

terminal.addEventListener('ready', ({ detail }) => {
  state.textContent = `Connected to ${detail.server_name}`;
});
terminal.addEventListener('exit', ({ detail }) => {
  state.textContent = `The shell ended with code ${detail.code}`;
});
terminal.addEventListener('error', ({ detail }) => {
  state.textContent = `${detail.message} (${detail.code})`;
});
