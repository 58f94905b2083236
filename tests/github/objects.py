"""GitHub's JSON objects with every field that its OpenAPI description requires; pure."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
WHEN = "2026-01-02T03:04:05Z"


def user(login: str, kind: str, *, api: str) -> Json:
    me = f"{api}/users/{login}"
    parts = [
        "events",
        "followers",
        "following",
        "gists",
        "organizations",
        "received_events",
        "repos",
        "starred",
        "subscriptions",
    ]
    return {
        "login": login,
        "id": 41898282,
        "node_id": "U_1",
        "avatar_url": f"{api}/avatars/1",
        "gravatar_id": "",
        "html_url": f"{api}/{login}",
        "site_admin": False,
        "type": kind,
        "url": me,
        **{f"{part}_url": f"{me}/{part}" for part in parts},
    }


def public_user(login: str, kind: str, *, api: str) -> Json:
    unknown = dict.fromkeys(("bio", "blog", "company", "email", "hireable", "location", "name"))
    counts = dict.fromkeys(("followers", "following", "public_gists", "public_repos"), 0)
    dates = {"created_at": WHEN, "updated_at": WHEN}
    kind_of_view = {"user_view_type": "public"}
    return {**user(login, kind, api=api), **unknown, **counts, **dates, **kind_of_view}


def repository(full_name: str, *, api: str) -> Json:
    owner, _, name = full_name.partition("/")
    me = f"{api}/repos/{full_name}"
    urls = [
        "archive",
        "assignees",
        "blobs",
        "branches",
        "clone",
        "collaborators",
        "comments",
        "commits",
        "compare",
        "contents",
        "contributors",
        "deployments",
        "downloads",
        "events",
        "forks",
        "git",
        "git_commits",
        "git_refs",
        "git_tags",
        "hooks",
        "issue_comment",
        "issue_events",
        "issues",
        "keys",
        "labels",
        "languages",
        "merges",
        "milestones",
        "notifications",
        "pulls",
        "releases",
        "ssh",
        "stargazers",
        "statuses",
        "subscribers",
        "subscription",
        "svn",
        "tags",
        "teams",
        "trees",
    ]
    counts = [
        "forks",
        "forks_count",
        "open_issues",
        "open_issues_count",
        "size",
        "stargazers_count",
        "watchers",
        "watchers_count",
    ]
    flags = ["archived", "disabled", "fork", "has_pages", "has_wiki", "private"]
    return {
        **{f"{part}_url": f"{me}/{part}" for part in urls},
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(flags, False),
        **dict.fromkeys(("has_downloads", "has_issues", "has_projects"), True),
        **dict.fromkeys(("description", "homepage", "language", "license", "mirror_url")),
        **dict.fromkeys(("created_at", "updated_at", "pushed_at"), WHEN),
        "id": 1,
        "node_id": "R_1",
        "name": name,
        "full_name": full_name,
        "owner": user(owner, "Organization", api=api),
        "url": me,
        "html_url": f"{api}/{full_name}",
        "default_branch": "main",
    }


def comment(
    number: int, *, body: str, login: str, kind: str, pull: int, full_name: str, api: str
) -> Json:
    issues = f"{api}/repos/{full_name}/issues"
    return {
        "id": number,
        "node_id": f"IC_{number}",
        "url": f"{issues}/comments/{number}",
        "html_url": f"{api}/{full_name}/pull/{pull}#issuecomment-{number}",
        "issue_url": f"{issues}/{pull}",
        "body": body,
        "user": user(login, kind, api=api),
        "created_at": WHEN,
        "updated_at": WHEN,
        "author_association": "NONE",
    }


def pull_simple(
    number: int,
    *,
    state: str,
    locked: bool,
    head_sha: str,
    head_repository: str | None,
    branch: str,
    full_name: str,
    api: str,
) -> Json:
    me, issue = (
        f"{api}/repos/{full_name}/pulls/{number}",
        f"{api}/repos/{full_name}/issues/{number}",
    )
    links = {
        "comments": f"{issue}/comments",
        "commits": f"{me}/commits",
        "statuses": f"{api}/repos/{full_name}/statuses/{head_sha}",
        "html": f"{api}/{full_name}/pull/{number}",
        "issue": issue,
        "review_comments": f"{me}/comments",
        "review_comment": f"{api}/repos/{full_name}/pulls/comments/1",
        "self": me,
    }

    def side(repo: str | None, ref: str, sha: str) -> Json:
        owner = (repo or "ghost/gone").partition("/")[0]
        return {
            "label": f"{owner}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": user(owner, "User", api=api),
            "repo": None if repo is None else repository(repo, api=api),
        }

    return {
        **dict.fromkeys(("assignee", "auto_merge", "body", "merged_at", "milestone")),
        "_links": {name: {"href": url} for name, url in links.items()},
        "id": number,
        "node_id": f"PR_{number}",
        "number": number,
        "url": me,
        "html_url": links["html"],
        "diff_url": f"{links['html']}.diff",
        "patch_url": f"{links['html']}.patch",
        "issue_url": issue,
        "comments_url": links["comments"],
        "commits_url": links["commits"],
        "review_comment_url": links["review_comment"],
        "review_comments_url": links["review_comments"],
        "statuses_url": links["statuses"],
        "labels": [],
        "state": state,
        "locked": locked,
        "title": "A change",
        "user": user("octocat", "User", api=api),
        "author_association": "NONE",
        "merge_commit_sha": None,
        "created_at": WHEN,
        "updated_at": WHEN,
        "closed_at": None if state == "open" else WHEN,
        "base": side(full_name, "main", "b" * 40),
        "head": side(head_repository, branch, head_sha),
    }


def pull(simple: Json) -> Json:
    counts = ("additions", "changed_files", "comments", "commits", "deletions", "review_comments")
    return {
        **simple,
        **dict.fromkeys(counts, 1),
        "mergeable": True,
        "mergeable_state": "clean",
        "merged": False,
        "merged_by": None,
        "maintainer_can_modify": False,
    }
