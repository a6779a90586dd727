// Live updates, keys, and an answer at once to what is tapped. Everything here also works without it, by plain forms.
const place = document.body.dataset.place;
const main = () => document.getElementById("main");
const lost = document.getElementById("lost");
let since = main().dataset.since;
try { localStorage.setItem("place", place); } catch { /* a browser that remembers nothing */ }
let stream = null;
let fetching = false;
let again = false;
let looks = 0; // that were begun by a change

// ---- what stands in the page becomes what the server says, but for what somebody is writing or has opened
function isBusy(element) {
  const active = document.activeElement;
  if (element.contains(active) && active.matches("input, textarea, select")) return true;
  return [...element.querySelectorAll("textarea, input[type=text], input[type=search]")].some((one) => one.value !== one.defaultValue);
}

function keepOpen(from, to) {
  for (const details of to.querySelectorAll("details[id]")) {
    const old = from.querySelector(`details[id="${CSS.escape(details.id)}"]`);
    if (old) details.open = old.open;
  }
}

function replace(old, fresh) {
  if (isBusy(old)) return old;
  const focus = document.activeElement;
  const focused = old.contains(focus) && focus.id ? focus.id : "";
  keepOpen(old, fresh);
  if (old.outerHTML === fresh.outerHTML) return old;
  old.replaceWith(fresh);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  return fresh;
}

// A list keeps its items apart: one that is being written in stays, the others change.
function replaceList(old, fresh) {
  const known = new Map([...old.children].map((one) => [one.id, one]));
  const wanted = [...fresh.children].map((one) => (known.has(one.id) ? replace(known.get(one.id), one) : one));
  for (const one of [...old.children]) if (!wanted.includes(one) && !isBusy(one)) one.remove();
  wanted.forEach((one, at) => { if (old.children[at] !== one) old.insertBefore(one, old.children[at] ?? null); });
}

// Around the lists, which are children of the view, everything else is put anew in its order.
function replaceAround(old, fresh) {
  const isList = (one) => one.matches("[data-list]");
  const lists = [...old.children].filter(isList);
  const freshLists = [...fresh.children].filter(isList);
  if (!lists.length || lists.length !== freshLists.length) { replace(old, fresh); return; }
  lists.forEach((list, at) => replaceList(list, freshLists[at]));
  const kept = new Set();
  for (const one of [...old.children]) {
    if (isList(one)) continue;
    if (one.id && isBusy(one)) kept.add(one.id); else one.remove();
  }
  let at = 0;
  for (const one of [...fresh.children]) {
    if (isList(one)) at += 1;
    else if (!kept.has(one.id)) old.insertBefore(one, lists[at] ?? null);
  }
}

function take(html, tellsWhatWasDone) {
  const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("main");
  if (!fresh) return;
  if (tellsWhatWasDone) main().querySelector("#said").replaceWith(fresh.querySelector("#said"));
  replaceAround(main().querySelector("#view"), fresh.querySelector("#view"));
  since = fresh.dataset.since ?? since;
}

async function refresh() {
  if (fetching) { again = true; return; }
  fetching = true;
  looks += 1;
  const began = performance.now();
  let missed = false; // what changed was told once: where it did not come, it is asked for again
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html; fragment" } });
    if (answer.ok) take(await answer.text(), false);
    missed = answer.status === 503;
    lost.hidden = answer.status !== 401;
  } catch { lost.hidden = false; missed = true; }
  // A busy server is not asked again at once by everybody who watches: the runs come first.
  setTimeout(() => {
    fetching = false;
    if (again || missed) { again = false; refresh(); }
  }, missed ? 2000 : Math.min(2 * (performance.now() - began), 2000));
}

// ---- the one stream: closed while nobody looks, taken up where it was left
function concerns(names) {
  const watched = main().dataset.watches.split(" ");
  return names.some((name) => name === "all" || watched.includes(name));
}

function listen() {
  if (stream || document.hidden || !main().dataset.watches) return;
  stream = new EventSource(`${place.replace(/\/$/, "")}/events?since=${encodeURIComponent(since)}`);
  stream.onopen = () => { lost.hidden = true; };
  stream.onerror = () => {
    lost.hidden = false;
    if (stream.readyState === EventSource.CLOSED) { stream = null; setTimeout(listen, 2000); }
  };
  stream.onmessage = (event) => {
    since = event.lastEventId;
    if (concerns(event.data.split(" "))) refresh();
  };
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) { stream?.close(); stream = null; } else listen();
});
addEventListener("pagehide", () => { stream?.close(); stream = null; });
addEventListener("pageshow", listen);
listen();

// ---- a tap is answered at once
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-act]")) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  const item = form.closest("[data-item]");
  const buttons = [...form.querySelectorAll("button")];
  const before = looks;
  item?.classList.add("going");
  buttons.forEach((one) => { one.disabled = true; });
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html; fragment" } });
    if (!answer.ok) throw new Error(await answer.text());
    form.reset();
    form.querySelectorAll("textarea").forEach((one) => { one.value = one.defaultValue; });
    document.activeElement?.blur();
    take(await answer.text(), true);
    if (looks !== before) refresh(); // this answer may be older than what it replaced
    lost.hidden = true;
  } catch { lost.hidden = false; }
  item?.classList.remove("going");
  buttons.forEach((one) => { one.disabled = false; });
});

// ---- a slider that is let go of shows what it points to
document.addEventListener("pointerup", (event) => {
  if (event.target.matches?.("form[data-auto] input[type=range]")) event.target.form.requestSubmit();
});

// ---- what is left until a moment
setInterval(() => {
  for (const one of document.querySelectorAll("time[data-until]")) {
    const left = Math.max(Math.round((Date.parse(one.dateTime) - Date.now()) / 1000), 0);
    const two = (number) => String(number).padStart(2, "0");
    one.textContent = `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
  }
}, 1000);

// ---- what is still being looked into is asked for again
setInterval(() => { if (!document.hidden && main().querySelector("[data-again]")) refresh(); }, 1000);

// ---- on a phone the menu is one line: where one is stays in sight
document.querySelector("nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// ---- keys
function move(step) {
  const items = [...main().querySelectorAll("[data-item]")];
  if (!items.length) return;
  const at = items.findIndex((one) => one.contains(document.activeElement));
  const next = items[Math.min(Math.max(at + step, 0), items.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function search() {
  const box = main().querySelector("input[type=search]");
  if (box) { box.focus(); box.select(); return; }
  const elsewhere = document.querySelector("nav a[data-search]");
  if (elsewhere) location.href = `${elsewhere.href}#search`;
}
addEventListener("load", () => { if (location.hash === "#search") search(); });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const item = document.activeElement?.closest?.("[data-item]");
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    a: () => (item ?? main().querySelector("[data-item]"))?.querySelector("form button, form textarea")?.focus(),
    "/": search,
    "?": () => { const help = document.getElementById("keys"); help.open = !help.open; if (help.open) help.scrollIntoView(); },
    Enter: () => { if (item && item === document.activeElement) item.querySelector("a[href]")?.click(); },
  };
  if (!(event.key in keys)) return;
  if (event.key !== "Enter") event.preventDefault();
  keys[event.key]();
});
