// Filters and pages of cases. Texts from the data reach the page as text nodes only.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const PAGE = 50;
  const filters = ["q", "flip", "slice", "tag", "check", "critical"];
  const number = (value) => value.toLocaleString("en-US");

  const make = (tag, kind, ...content) => {
    const node = document.createElement(tag);
    if (kind) node.className = kind;
    node.append(...content);
    return node;
  };

  // One object a case, from the tables that island.py documents.
  const facts = (place) => data.lists[place].map((at) => {
    const [aspect, ...values] = data.facts[at];
    return [aspect, values];
  });
  const checks = (place) => new Map(data.outcomes[place].map(([name, held, runs]) => [name, [held, runs]]));
  // Whether a check holds in as large a share of the runs.
  const same = (one, other) => (one && other ? one[0] * other[1] === other[0] * one[1] : one === other);
  const stories = data.stories.map((row) => {
    const [flip, flaky, passed, passes, changed, words, ...done] = row;
    const [before, after, forbade = [], forbids = [], runs = [], shown = ["", ""]] = done;
    const [was, is] = [checks(passed), checks(passes)];
    const names = [...is.keys()];
    return {
      flip: data.flips[flip], flaky: flaky === 1, was, is, changed, words,
      fails: names.filter((name) => is.get(name)[0] < is.get(name)[1]),
      flips: names.filter((name) => !same(was.get(name), is.get(name))),
      whole: done.length > 0,
      before: done.length ? facts(before) : [],
      after: done.length ? facts(after) : [],
      forbade, forbids, runs, shown,
    };
  });
  const cases = data.cases.map((row) => {
    const [id, family, slice, critical, input, cut, tags, risk, story, asked, ...measures] = row;
    return {
      id, family: data.families[family], slice: data.slices[slice], critical: critical === 1,
      input, cut: cut === 1, tags: data.tags[tags], risk, expected: asked,
      story: stories[story], measures, text: "",
    };
  });

  const expected = (each) => (each.story.whole ? facts(each.expected) : []);

  const searched = (each) => {
    if (!each.text) {
      const { story } = each;
      const every = [...expected(each), ...story.before, ...story.after];
      const values = every.flatMap(([, found]) => found);
      const texts = [each.id, each.family, ...each.tags, each.input, ...values];
      each.text = texts.join("\n").toLowerCase();
    }
    return each.text;
  };

  // The same markup as cases.py.
  const one = (value, mark, forbidden) => {
    if (forbidden.includes(value)) return make(mark || "span", "forbidden", `${value} (forbidden)`);
    return mark ? make(mark, "", value) : value;
  };
  const none = () => make("span", "none", "none");
  const LISTED = ["calls"];
  const values = (listed, found, other, mark, forbidden = []) => {
    if (!found) return [];
    if (!found.length) return [other && other.length ? make(mark, "", none()) : none()];
    const every = found.map((value) => one(value, other && !other.includes(value) ? mark : "", forbidden));
    if (listed) return [make("ol", "", ...every.map((value) => make("li", "", value)))];
    return every.flatMap((value, place) => (place ? [", ", value] : [value]));
  };
  const row = (name, changed, ...cells) => {
    const head = make("th", "", name, ...(changed ? [" ", make("span", "tag", "changed")] : []));
    head.scope = "row";
    return make("tr", changed ? "changed" : "", head, ...cells.map((cell) => make("td", "", ...cell)));
  };
  const outcome = (held) => {
    if (!held) return ["not checked"];
    const [count, runs] = held;
    if (count === runs) return [make("span", "held", "holds")];
    return [make("span", "failed", runs > 1 ? `fails in ${number(runs - count)} of ${number(runs)}` : "fails")];
  };
  const scoped = (scope, name) => {
    const head = make("th", "", name);
    head.scope = scope;
    return head;
  };
  const factTable = (each) => {
    const { story, measures } = each;
    const measured = (texts) => texts.map((text, place) => [data.measured[place], [text]]);
    const count = data.measured.length;
    const asked = new Map(expected(each));
    const before = new Map([...story.before, ...measured(measures.slice(0, count))]);
    const after = new Map([...story.after, ...measured(measures.slice(count))]);
    const aspects = new Set([...asked.keys(), ...before.keys(), ...after.keys()]);
    const rows = [...aspects].map((name) => {
      const [changed, listed] = [story.changed.includes(name), LISTED.includes(name)];
      const [had, has, wanted] = [before.get(name), after.get(name), asked.get(name)];
      const done = name === "calls" || name === "actions";
      const [forbade, forbids] = done ? [story.forbade, story.forbids] : [[], []];
      const ways = listed && wanted && wanted.length > 1;
      return row(
        name, changed, [...(ways ? ["one of: "] : []), ...values(ways, wanted)],
        values(listed, had, changed && has, "del", forbade),
        values(listed, has, changed && had, "ins", forbids),
      );
    });
    for (const name of new Set([...story.was.keys(), ...story.is.keys()])) {
      const [had, has] = [story.was.get(name), story.is.get(name)];
      rows.push(row(`check ${name}`, !same(had, has), [], outcome(had), outcome(has)));
    }
    const heads = ["baseline", "candidate"].map((name, side) => {
      const trial = story.shown[side];
      return scoped("col", trial ? `${name}, ${trial}` : name);
    });
    const top = make("thead", "", make("tr", "", make("td"), scoped("col", "expected"), ...heads));
    return make("table", "facts", top, make("tbody", "", ...rows));
  };
  const runTable = ({ runs }) => {
    const cell = (text) => make("td", "", text || make("span", "none", "no such trial"));
    const rows = runs.map(([trial, before, after]) =>
      make("tr", "", scoped("row", trial), cell(before), cell(after)));
    const heads = ["trial", "baseline", "candidate"].map((name) => scoped("col", name));
    return make("table", "runs", make("thead", "", make("tr", "", ...heads)), make("tbody", "", ...rows));
  };
  const meta = (each) => {
    const parts = [`family ${each.family}`];
    if (each.tags.length) parts.push(`tags ${each.tags.join(", ")}`);
    if (each.risk) parts.push(`risk ${each.risk}`);
    return make("p", "meta", parts.join("; "));
  };
  const body = (each) => {
    if (!each.story.whole) {
      const note = "what was asked and done had no room here; the JSON report has it";
      return make("div", "body", meta(each), make("p", "note", note), factTable(each));
    }
    const parts = each.input || each.cut ? [make("p", "input", each.input)] : [];
    if (each.cut) parts.push(make("p", "note", "cut short here; the dataset has it whole"));
    parts.push(meta(each), factTable(each));
    if (each.story.runs.length) parts.push(runTable(each.story));
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
  const matches = (each, { q, flip, slice, tag, check, critical }) => {
    const { story } = each;
    if (flip === "drift") {
      if (story.flip !== "both" || !story.changed.length) return false;
    } else if (flip === "flaky") {
      if (!story.flaky) return false;
    } else if (flip && story.flip !== flip) return false;
    if (slice && each.slice !== slice) return false;
    if (tag && !each.tags.includes(tag)) return false;
    if (critical && !each.critical) return false;
    if (check) {
      const [kind, name] = [check.slice(0, 5), check.slice(6)];
      if (!story[kind].includes(name)) return false;
    }
    return !q || searched(each).includes(q.trim().toLowerCase());
  };
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
    if (stories.some(({ flaky }) => flaky)) {
      get("flip").append(option("flaky", "passes in some trials only"));
    }
    get("slice").append(...[...data.slices].sort().map((name) => option(name, name)));
    const tags = [...new Set(data.tags.flat())].sort();
    get("tag").append(...tags.map((name) => option(name, name)));
    get("tag").closest("label").hidden = !tags.length;
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
