// Filters and pages of cases. Texts from the data reach the page as text nodes only.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const PAGE = 50;
  const filters = ["q", "flip", "slice", "check", "critical"];

  const make = (tag, kind, ...content) => {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    node.append(...content);
    return node;
  };

  // One object a case, from the tables that island.py documents.
  const facts = (table, place) => table[place].map(([aspect, ...values]) => [aspect, values]);
  const stories = data.stories.map((row) => {
    const [flip, before, after, had, has, passed, passes, changed, words, forbade, forbids] = row;
    const [outcomesBefore, outcomesAfter] = [data.outcomes[passed], data.outcomes[passes]];
    const was = new Map(outcomesBefore);
    const fails = outcomesAfter.filter(([, held]) => !held).map(([name]) => name);
    const flips = outcomesAfter
      .filter(([name, held]) => was.get(name) !== held)
      .map(([name]) => name);
    return {
      flip: data.flips[flip], before: facts(data.lists, before), after: facts(data.lists, after), had, has,
      was, is: new Map(outcomesAfter), fails, flips, changed, words,
      forbade, forbids,
    };
  });
  const cases = data.cases.map((row) => {
    const [id, family, slice, critical, input, cut, asked, story, ...measures] = row;
    return {
      id, family: data.families[family], slice: data.slices[slice], critical: critical === 1,
      input, cut: cut === 1, expected: asked, story: stories[story], measures, text: "",
    };
  });

  const expected = (each) => facts(data.expected, each.expected);

  const searched = (each) => {
    if (!each.text) {
      const { story } = each;
      const every = [...expected(each), ...story.before, ...story.after];
      const values = every.flatMap(([, found]) => found);
      each.text = [each.id, each.family, each.input, ...values].join("\n").toLowerCase();
    }
    return each.text;
  };

  // The same markup as cases.py.
  const one = (value, mark, forbidden) => {
    if (forbidden.includes(value)) return make(mark || "span", "forbidden", `${value} (forbidden)`);
    return mark ? make(mark, "", value) : value;
  };
  const none = () => make("span", "none", "none");
  const values = (found, other, mark, forbidden = []) => {
    if (!found) return [];
    if (!found.length) return [other && other.length ? make(mark, "", none()) : none()];
    return found.flatMap((value, place) => [
      ...(place ? [", "] : []),
      one(value, other && !other.includes(value) ? mark : "", forbidden),
    ]);
  };
  const row = (name, changed, ...cells) => {
    const head = make("th", "", name, ...(changed ? [" ", make("span", "tag", "changed")] : []));
    head.scope = "row";
    return make("tr", changed ? "changed" : "", head, ...cells.map((cell) => make("td", "", ...cell)));
  };
  const outcome = (held) => {
    if (held === undefined) return ["not checked"];
    return [held ? make("span", "held", "holds") : make("span", "failed", "fails")];
  };
  const factTable = (each) => {
    const { story, measures } = each;
    const measured = (names, start) => names.map((name, place) => [name, [measures[start + place]]]);
    const asked = new Map(expected(each));
    const before = new Map([...story.before, ...measured(story.had, 0)]);
    const after = new Map([...story.after, ...measured(story.has, story.had.length)]);
    const aspects = new Set([...asked.keys(), ...before.keys(), ...after.keys()]);
    const rows = [...aspects].map((name) => {
      const changed = story.changed.includes(name);
      const [had, has] = [before.get(name), after.get(name)];
      const [forbade, forbids] = name === "tool" ? [[], []] : [story.forbade, story.forbids];
      return row(
        name, changed, values(asked.get(name)),
        values(had, changed && has, "del", forbade), values(has, changed && had, "ins", forbids),
      );
    });
    for (const name of new Set([...story.was.keys(), ...story.is.keys()])) {
      const [had, has] = [story.was.get(name), story.is.get(name)];
      rows.push(row(name, had !== has, [], outcome(had), outcome(has)));
    }
    const heads = ["expected", "baseline", "candidate"].map((name) => {
      const head = make("th", "", name);
      head.scope = "col";
      return head;
    });
    const top = make("thead", "", make("tr", "", make("td"), ...heads));
    return make("table", "facts", top, make("tbody", "", ...rows));
  };
  const body = (each) => {
    const parts = [make("p", "input", each.input)];
    if (each.cut) parts.push(make("p", "note", "cut short here; the dataset has it whole"));
    parts.push(make("p", "meta", `family ${each.family}`), factTable(each));
    return make("div", "body", ...parts);
  };
  const caseNode = (each) => {
    const { story } = each;
    const word = data.words[data.flips.indexOf(story.flip)];
    const summary = make(
      "summary", "", make("span", `tag ${story.flip}`, word),
      make("span", "id", each.id), make("span", "slice", each.slice),
    );
    if (each.critical) summary.append(make("span", "tag critical", "critical"));
    if (story.words) summary.append(make("span", "what", story.words));
    const node = make("details", "case", summary);
    node.addEventListener("toggle", () => node.childElementCount === 1 && node.append(body(each)));
    return node;
  };

  let found = cases;
  let page = 0;

  const state = () => Object.fromEntries(filters.map((name) => {
    const control = get(name);
    return [name, control.type === "checkbox" ? (control.checked ? "1" : "") : control.value];
  }));
  const matches = (each, { q, flip, slice, check, critical }) => {
    const { story } = each;
    if (flip === "drift") {
      if (story.flip !== "both" || !story.changed.length) return false;
    } else if (flip && story.flip !== flip) return false;
    if (slice && each.slice !== slice) return false;
    if (critical && !each.critical) return false;
    if (check) {
      const [kind, name] = [check.slice(0, 5), check.slice(6)];
      if (!story[kind].includes(name)) return false;
    }
    return !q || searched(each).includes(q.trim().toLowerCase());
  };
  const number = (value) => value.toLocaleString("en-US");
  const show = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages - 1);
    const first = page * PAGE;
    get("explorer").replaceChildren(...found.slice(first, first + PAGE).map(caseNode));
    get("count").textContent = `${number(found.length)} of ${number(cases.length)} cases`;
    get("page").textContent = `Page ${number(page + 1)} of ${number(pages)}`;
    get("previous").disabled = page === 0;
    get("next").disabled = page === pages - 1;
    get("pages").hidden = pages === 1;
  };
  const filter = () => {
    const wanted = state();
    found = cases.filter((each) => matches(each, wanted));
    page = 0;
    show();
  };

  // The address keeps the filters, so a link can carry them and Back undoes them.
  const read = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!filters.some((name) => wanted.has(name))) return false;
    for (const name of filters) {
      const control = get(name);
      if (control.type === "checkbox") control.checked = wanted.get(name) === "1";
      else control.value = wanted.get(name) ?? "";
      // A value that is no option leaves a select without one.
      if (control.tagName === "SELECT" && control.selectedIndex < 0) control.value = "";
    }
    filter();
    return true;
  };
  const write = () => {
    const set = Object.entries(state()).filter(([, value]) => value);
    history.replaceState(null, "", `#${set.length ? new URLSearchParams(set) : "cases"}`);
  };
  const open = () => {
    if (!read()) return;
    get("cases").scrollIntoView();
    get("cases").focus({ preventScroll: true });
  };

  const option = (value, text) => {
    const node = make("option", "", text);
    node.value = value;
    return node;
  };
  const fill = () => {
    data.flips.forEach((flip, place) => get("flip").append(option(flip, data.words[place])));
    get("flip").append(option("drift", "passes, behaves otherwise"));
    get("slice").append(...[...data.slices].sort().map((name) => option(name, name)));
    const names = [...new Set(stories.flatMap(({ is }) => [...is.keys()]))];
    for (const [kind, label] of [["fails", "candidate fails"], ["flips", "came out differently"]]) {
      const group = make("optgroup", "", ...names.map((name) => option(`${kind}:${name}`, name)));
      group.label = label;
      get("check").append(group);
    }
  };

  fill();
  get("static").hidden = true;
  if (get("static-note")) get("static-note").hidden = true;
  for (const id of ["filters", "count", "explorer"]) get(id).hidden = false;
  for (const link of document.querySelectorAll("a[data-filter]")) link.hash = link.dataset.filter;
  for (const name of filters) {
    get(name).addEventListener("input", () => {
      filter();
      write();
    });
  }
  get("reset").addEventListener("click", () => {
    for (const name of filters) {
      if (name === "critical") get(name).checked = false;
      else get(name).value = "";
    }
    filter();
    write();
    get("q").focus();
  });
  const turn = (by) => () => {
    page += by;
    show();
    get("cases").scrollIntoView();
    get("count").textContent += `, page ${number(page + 1)}`;
  };
  get("previous").addEventListener("click", turn(-1));
  get("next").addEventListener("click", turn(1));
  window.addEventListener("hashchange", open);
  filter();
  open();
})();
