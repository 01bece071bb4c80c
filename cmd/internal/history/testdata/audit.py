"""Computes a report from accounting logs second by second of nothing but their records, to
check another program: python3 audit.py ZONE STEP,... CPUS FILE..."""
import csv, datetime, gzip, re, statistics, sys, zoneinfo

zone, steps, cpus = zoneinfo.ZoneInfo(sys.argv[1]), sys.argv[2].split(","), float(sys.argv[3])
lines = []
for name in sorted(sys.argv[4:]):
    with (gzip.open if name.endswith(".gz") else open)(name, "rt", encoding="latin-1") as f:
        lines += f.read().splitlines()


def stamp(text):
    return datetime.datetime.strptime(text, "%m/%d/%Y %H:%M:%S").replace(tzinfo=zone).timestamp()


starts, ends, suspended, pauses, ncpus, etime, walltime = {}, {}, {}, {}, {}, {}, {}
last, first = 0, None
for line in lines:
    when, kind, job, text = line.split(";", 3)
    said = dict(re.findall(r"(?:^| )([A-Za-z_.]+)=(\S*)", text))
    at = stamp(when)
    if kind in "SER" and ("end" in said or "start" in said):
        at = float(said["start" if kind == "S" else "end"])
    last, first = max(last, at), at if first is None else first
    if "[]" in job or kind not in "QSERzr":
        continue
    if "Resource_List.ncpus" in said:
        ncpus[job] = int(said["Resource_List.ncpus"])
    if "Resource_List.walltime" in said:
        hours, minutes, seconds = map(int, said["Resource_List.walltime"].split(":"))
        walltime[job] = hours * 3600 + minutes * 60 + seconds
    if said.get("etime", "0") != "0":
        etime[job] = int(said["etime"])
    if kind == "z":
        suspended[job] = at
    elif job in suspended:
        pauses.setdefault(job, []).append((suspended.pop(job), at))
    if "start" in said and int(said["start"]) > 0 and kind in "SER":
        starts.setdefault(job, set()).add(int(said["start"]))
    if kind == "R" and "start" in said:
        ends[job, int(said["start"])] = (int(said["end"]), False)
    if kind == "E" and int(said.get("start", 0)) > 0:
        ends[job, int(said["start"])] = (int(said["end"]), True)
for job, since in suspended.items():
    pauses.setdefault(job, []).append((since, last + 1))
for job, times in starts.items():  # what has no end though its walltime is over for an hour ended with it
    start = max(times)
    if (job, start) not in ends and job in walltime:
        end = start + walltime[job] + sum(max(0, y - max(x, start)) for x, y in pauses.get(job, []))
        if end + 3600 < last:
            ends[job, start] = (end, None)


seen = min([first, *(start for times in starts.values() for start in times)])  # the first time that the logs tell


def after(day):
    if step == "month":
        return datetime.date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return day + datetime.timedelta(days={"day": 1, "week": 7}[step])


def midnight(day):
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())


def quantile(values, q):
    if not values:
        return ""
    values = sorted(values)
    return values[0] if len(values) == 1 else statistics.quantiles(values, n=100, method="inclusive")[round(q * 100) - 1]


out = csv.writer(sys.stdout)
for step in steps:  # a table for each, with a header
    day = datetime.datetime.fromtimestamp(first, zone).date()
    day = day.replace(day=1) if step == "month" else day - datetime.timedelta(days=day.weekday()) if step == "week" else day
    out.writerow("begin end jobs_started jobs_ended cpu_hours capacity_hours utilisation wait_mean wait_median wait_p95 core_hours_ended".split())
    while midnight(day) <= last:
        begin, end = midnight(day), midnight(after(day))
        day = after(day)
        waits, jobs, used, ended = [], 0, 0.0, 0.0
        started = 0
        for job, times in starts.items():
            for start in times:
                stop, is_over = ends.get((job, start), (last, None))

                def active(a, b):
                    return max(0, b - a) - sum(max(0, min(b, y) - max(a, x)) for x, y in pauses.get(job, []) if min(b, y) > max(a, x))

                used += ncpus.get(job, 0) * active(max(start, begin), min(stop, end)) if min(stop, end) > max(start, begin) else 0
                if begin <= start < end:
                    started += 1
                    lost = [ends.get((job, run), (start, None))[0] for run in times if run < start]  # PBS keeps the etime of a job that is requeued
                    waits.append(start - max([etime[job], *lost]))
                if is_over is not None and begin <= stop < end:
                    jobs += is_over
                    ended += ncpus.get(job, 0) * active(start, stop)
        capacity = cpus * (min(end, last + 1) - max(begin, seen))
        out.writerow([begin, end, started, jobs, used / 3600, capacity / 3600, used / capacity, statistics.fmean(waits) if waits else "", quantile(waits, 0.5), quantile(waits, 0.95), ended / 3600])
