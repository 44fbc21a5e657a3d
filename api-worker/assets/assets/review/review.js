// What makes the review page nicer, and nothing that a decision needs: local times, a kept name, playing together, a large
// view to flip through.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const NAME = "afc.reviewer";

/** Storage may be forbidden; then the name is typed again. */
function kept(name) {
  try {
    if (name !== undefined) localStorage.setItem(NAME, name);
    return localStorage.getItem(NAME) ?? "";
  } catch {
    return "";
  }
}

function localTimes(root) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of root.querySelectorAll("time")) {
    time.textContent = format.format(new Date(time.dateTime));
  }
}

function reviewer(root) {
  const field = root.querySelector("#reviewer");
  if (!field) return;
  field.value ||= kept();
  field.form.addEventListener("submit", () => kept(field.value.trim()));
}

/** The button says what it will do. */
function picks(root) {
  const button = root.querySelector("[data-approve]");
  if (!button) return;
  const say = () => {
    const picked = [...root.querySelectorAll("[data-candidate]:has([name=pick]:checked)")].map((card) => card.dataset.candidate);
    button.textContent = picked.length === 0 ? "Approve picked" : `Approve ${new Intl.ListFormat("en").format(picked)}`;
  };
  root.addEventListener("change", say);
  say();
}

function playing(root) {
  const videos = [...root.querySelectorAll(".frame video")];
  const button = root.querySelector("[data-play]");
  if (!button) return;
  const say = () => {
    button.textContent = videos.some((video) => !video.paused) ? "Pause all" : "Play all";
  };
  const play = () => {
    for (const video of videos) {
      video.currentTime = 0;
      video.play().catch(() => {});
    }
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    if (videos.some((video) => !video.paused)) for (const video of videos) video.pause();
    else play();
  });
  for (const video of videos) for (const event of ["play", "pause"]) video.addEventListener(event, say);
  if (!still.matches) play();
  say();
}

/** The candidates large, one at a time in the same place: the arrow keys flip through them, P picks. */
function largeView(root) {
  const links = [...root.querySelectorAll(".frame [data-large]")];
  if (links.length === 0) return;
  const dialog = document.createElement("dialog");
  dialog.className = "large";
  dialog.setAttribute("aria-label", "Candidate, large");
  const picture = document.createElement("img");
  const bar = document.createElement("div");
  bar.className = "bar";
  const name = document.createElement("strong");
  name.setAttribute("aria-live", "polite");
  const make = (text, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", act);
    return button;
  };
  let at = 0;
  const pickOf = () => links[at].closest("[data-candidate]").querySelector("[name=pick]");
  const show = (index) => {
    at = (index + links.length) % links.length;
    const original = links[at].querySelector("img");
    picture.src = original.src;
    picture.alt = original.alt;
    name.textContent = links[at].closest("[data-candidate]").dataset.candidate;
    pick.hidden = !pickOf();
    pick.textContent = pickOf()?.checked ? "Unpick (P)" : "Pick (P)";
    pick.setAttribute("aria-pressed", String(Boolean(pickOf()?.checked)));
  };
  const pick = make("Pick (P)", () => {
    pickOf()?.click();
    show(at);
  });
  bar.append(make("← Before", () => show(at - 1)), name, make("Next →", () => show(at + 1)), pick, make("Close", () => dialog.close()));
  dialog.append(picture, bar);
  dialog.addEventListener("keydown", (event) => {
    const act = { ArrowLeft: () => show(at - 1), ArrowRight: () => show(at + 1), p: () => pick.click() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  dialog.addEventListener("close", () => links[at].focus());
  root.append(dialog);
  links.forEach((link, index) =>
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(index);
      dialog.showModal();
    }),
  );
}

/** Once a page: htmx puts a new one in the place of one that was still moving. */
function begin() {
  const root = document.querySelector("#review");
  if (!root || root.dataset.begun !== undefined) return;
  root.dataset.begun = "";
  for (const part of [localTimes, reviewer, picks, playing, largeView]) part(root);
}

begin();
document.addEventListener("htmx:afterSettle", begin);
